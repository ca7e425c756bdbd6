import { SingleBar } from 'cli-progress';
import type { CommandContext } from '../command-context.ts';
import type { EncryptReport } from '../encrypt/encrypt-options.ts';

/** Of the work: often enough to see that it goes on, seldom enough for a log. */
const lineEveryFraction = 0.25;

export interface ProgressDisplay extends EncryptReport {
  /** Leaves the terminal as it was. */
  stop(): void;
}

/** A bar where a person watches, some lines where a log is written, nothing but warnings where it should be quiet. */
export function showProgress({ terminal, stderr }: CommandContext, quiet: boolean): ProgressDisplay {
  const warn = (text: string) => void stderr.write(`latchkey: warning: ${text}\n`);
  if (quiet) return { warn, stop: () => {} };
  return { warn, ...(terminal ? drawBar(terminal) : writeLines(stderr)) };
}

function drawBar(stream: NodeJS.WriteStream): Omit<ProgressDisplay, 'warn'> {
  const bar = new SingleBar({
    stream,
    format: '{bar} {percentage}%  {value} of {total} MB  {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  let bytes = 0;
  return {
    start: (total) => bar.start(megabytes(total.bytes), 0),
    fileDone(more) {
      bytes += more;
      bar.update(megabytes(bytes));
    },
    stop: () => bar.stop(),
  };
}

function writeLines(stderr: CommandContext['stderr']): Omit<ProgressDisplay, 'warn'> {
  let total = 0;
  let done = 0;
  let nextLineAt = lineEveryFraction;
  return {
    start({ files, bytes }) {
      total = files;
      stderr.write(`Encrypting ${files} files, ${megabytes(bytes)} MB\n`);
    },
    fileDone() {
      done++;
      if (done / total < nextLineAt) return;
      stderr.write(`${done} of ${total} files\n`);
      while (nextLineAt <= done / total) nextLineAt += lineEveryFraction;
    },
    stop: () => {},
  };
}

/** One decimal: a short clip should not read as 0. */
function megabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}
