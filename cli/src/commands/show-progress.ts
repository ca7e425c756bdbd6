import { SingleBar } from 'cli-progress';
import { type CommandContext, createWarn } from '../command-context.ts';
import type { EncryptReport } from '../encrypt/encrypt-options.ts';

/** Enough lines to see progress, few enough for a log. */
const lineEveryFraction = 0.25;
/** Less is done before a line is read. */
export const silentBelow = 50;

interface Amount {
  readonly files: number;
  readonly bytes: number;
}

interface ProgressDisplay {
  start(total: Amount): void;
  /** @param done since the start */
  update(done: Amount): void;
  /** Leaves the terminal as it was. */
  stop(): void;
}

type Outputs = Pick<CommandContext, 'terminal' | 'stderr'>;

/** A bar on a terminal, some lines in a log, nothing with `quiet`. */
export function showProgress(
  { terminal, stderr }: Outputs,
  isQuiet: boolean | undefined,
  verb: 'Encrypting' | 'Uploading',
): ProgressDisplay {
  if (isQuiet) return { start: () => {}, update: () => {}, stop: () => {} };
  const bar =
    terminal &&
    createBar(terminal, `${verb} {bar} {percentage}%  {value} of {total} MB  {eta_formatted} left`);
  let writeLine = (_done: number) => {};
  return {
    start({ files, bytes }) {
      if (bar) return bar.start(megabytes(bytes), 0);
      stderr.write(`${verb} ${files} files, ${megabytes(bytes)} MB\n`);
      writeLine = atEachFraction(files, (done) => stderr.write(`${done} of ${files} files\n`));
    },
    update({ files, bytes }) {
      if (bar) bar.update(megabytes(bytes));
      else writeLine(files);
    },
    stop: () => bar?.stop(),
  };
}

/** The same for work that is counted. Short work shows nothing. */
export function countDone(
  { terminal, stderr }: Outputs,
  isQuiet: boolean | undefined,
  verb: string,
  total: number,
): { one(): void; stop(): void } {
  if (isQuiet || total < silentBelow) return { one: () => {}, stop: () => {} };
  const bar = terminal && createBar(terminal, `${verb} {bar} {value} of {total}`);
  bar?.start(total, 0);
  const writeLine = atEachFraction(total, (done) => stderr.write(`${verb}: ${done} of ${total}\n`));
  let done = 0;
  return {
    one() {
      done++;
      if (bar) bar.update(done);
      else writeLine(done);
    },
    stop: () => bar?.stop(),
  };
}

/** Shows the progress of an encryption, and always its warnings. */
export function reportEncryption(display: ProgressDisplay, context: CommandContext): EncryptReport {
  let files = 0;
  let bytes = 0;
  return {
    warn: createWarn(context),
    start: display.start,
    fileDone(more) {
      files++;
      bytes += more;
      display.update({ files, bytes });
    },
  };
}

function createBar(stream: NodeJS.WriteStream, format: string): SingleBar {
  return new SingleBar({ stream, format, barCompleteChar: '█', barIncompleteChar: '░', hideCursor: true });
}

function atEachFraction(total: number, write: (done: number) => void): (done: number) => void {
  let nextAt = lineEveryFraction;
  return (done) => {
    if (!(done / total >= nextAt)) return;
    write(done);
    while (nextAt <= done / total) nextAt += lineEveryFraction;
  };
}

/** With one decimal, so that a short clip is not 0. */
function megabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}
