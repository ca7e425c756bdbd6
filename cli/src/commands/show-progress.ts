import { SingleBar } from 'cli-progress';
import type { CommandContext } from '../command-context.ts';
import type { EncryptReport } from '../encrypt/encrypt-options.ts';

/** Lines after so much of the work: enough to see progress, few enough for a log. */
const lineEveryFraction = 0.25;

interface Amount {
  readonly files: number;
  readonly bytes: number;
}

export interface ProgressDisplay {
  start(total: Amount): void;
  /** @param done since the start */
  update(done: Amount): void;
  /** Leaves the terminal as it was. */
  stop(): void;
}

/** A bar on a terminal, some lines in a log, nothing with `quiet`. */
export function showProgress(
  { terminal, stderr }: Pick<CommandContext, 'terminal' | 'stderr'>,
  quiet: boolean,
  verb: 'Encrypting' | 'Uploading',
): ProgressDisplay {
  if (quiet) return { start: () => {}, update: () => {}, stop: () => {} };
  return terminal ? drawBar(terminal, verb) : writeLines(stderr, verb);
}

/** Shows the progress of an encryption, and always its warnings. */
export function reportEncryption(display: ProgressDisplay, stderr: CommandContext['stderr']): EncryptReport {
  let files = 0;
  let bytes = 0;
  return {
    warn: (text) => void stderr.write(`latchkey: warning: ${text}\n`),
    start: display.start,
    fileDone(more) {
      files++;
      bytes += more;
      display.update({ files, bytes });
    },
  };
}

function drawBar(stream: NodeJS.WriteStream, verb: string): ProgressDisplay {
  const bar = new SingleBar({
    stream,
    format: `${verb} {bar} {percentage}%  {value} of {total} MB  {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  return {
    start: (total) => bar.start(megabytes(total.bytes), 0),
    update: ({ bytes }) => bar.update(megabytes(bytes)),
    stop: () => bar.stop(),
  };
}

function writeLines(stderr: CommandContext['stderr'], verb: string): ProgressDisplay {
  let total = 0;
  let done = 0;
  let nextLineAt = lineEveryFraction;
  return {
    start({ files, bytes }) {
      total = files;
      stderr.write(`${verb} ${files} files, ${megabytes(bytes)} MB\n`);
    },
    update({ files }) {
      if (files === done || files / total < nextLineAt) return;
      done = files;
      stderr.write(`${done} of ${total} files\n`);
      while (nextLineAt <= done / total) nextLineAt += lineEveryFraction;
    },
    stop: () => {},
  };
}

/** With one decimal, so that a short clip is not 0. */
function megabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}
