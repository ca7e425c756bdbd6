import { SingleBar } from 'cli-progress';
import type { CommandContext } from '../command-context.ts';

/** Few enough lines for a log. */
const lineEveryFraction = 0.25;
/** Fewer are done before a line is read. */
export const silentBelow = 50;

/** Shows how much of long work is done: a bar on a terminal, some lines in a log. */
export function countDone(
  { terminal, stderr }: Pick<CommandContext, 'terminal' | 'stderr'>,
  isQuiet: boolean,
  verb: string,
  total: number,
): { one(): void; stop(): void } {
  if (isQuiet || total < silentBelow) return { one: () => {}, stop: () => {} };
  if (terminal) {
    const bar = new SingleBar({
      stream: terminal,
      format: `${verb} {bar} {value} of {total}`,
      hideCursor: true,
    });
    bar.start(total, 0);
    return { one: () => bar.increment(), stop: () => bar.stop() };
  }
  let done = 0;
  let nextLineAt = lineEveryFraction;
  return {
    one() {
      done++;
      if (done / total < nextLineAt) return;
      stderr.write(`${verb}: ${done} of ${total}\n`);
      while (nextLineAt <= done / total) nextLineAt += lineEveryFraction;
    },
    stop: () => {},
  };
}
