import { SingleBar } from 'cli-progress';
import type { CommandContext } from '../command-context.ts';

/** Enough lines to see progress, few enough for a log. */
const lineEveryFraction = 0.25;
/** Less is done before a line is read. */
export const silentBelow = 50;

interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/** A bar on a terminal, some lines in a log, nothing with `quiet`. */
export function showProgress(context: CommandContext, isQuiet: boolean | undefined, verb: string) {
  let display: ReturnType<typeof draw> | undefined;
  const done = { files: 0, bytes: 0 };
  const update = ({ files, bytes }: Amount) => display?.update(files, megabytes(bytes));
  return {
    start({ files, bytes }: Amount): void {
      if (isQuiet) return;
      const total = megabytes(bytes);
      if (!context.terminal) context.stderr.write(`${verb} ${files} files, ${total} MB\n`);
      const format = `${verb} {bar} {percentage}%  {value} of {total} MB  {eta_formatted} left`;
      display = draw(context, { format, total, count: files, line: (n) => `${n} of ${files} files` });
    },
    /** @param done since the start */
    update,
    /** In place of `update`. @param bytes of the file */
    fileDone(bytes: number): void {
      done.files++;
      done.bytes += bytes;
      update(done);
    },
    /** Leaves the terminal as it was. */
    stop: () => display?.stop(),
  };
}

/** The same while work is done that is counted. Short work shows nothing. @param work calls its argument after each part */
export async function countDone<T>(
  context: CommandContext,
  isQuiet: boolean | undefined,
  verb: string,
  total: number,
  work: (partDone: () => void) => Promise<T>,
): Promise<T> {
  if (isQuiet || total < silentBelow) return work(() => {});
  const format = `${verb} {bar} {value} of {total}`;
  const display = draw(context, { format, total, count: total, line: (n) => `${verb}: ${n} of ${total}` });
  let done = 0;
  try {
    return await work(() => {
      done++;
      display.update(done, done);
    });
  } finally {
    display.stop();
  }
}

interface Drawing {
  /** Of the bar. */
  readonly format: string;
  readonly total: number;
  /** The lines count up to it. */
  readonly count: number;
  readonly line: (done: number) => string;
}

function draw({ terminal: stream, stderr }: CommandContext, { format, total, count, line }: Drawing) {
  const bar =
    stream &&
    new SingleBar({ stream, format, barCompleteChar: '█', barIncompleteChar: '░', hideCursor: true });
  bar?.start(total, 0);
  let nextAt = lineEveryFraction;
  return {
    update(done: number, barValue: number): void {
      bar?.update(barValue);
      if (bar || !(done / count >= nextAt)) return;
      stderr.write(`${line(done)}\n`);
      while (nextAt <= done / count) nextAt += lineEveryFraction;
    },
    stop: () => bar?.stop(),
  };
}

/** With one decimal, so that a short clip is not 0. */
function megabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}
