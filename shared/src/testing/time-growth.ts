/** The longer text has as many times the length of the shorter one. */
const times = 16;
/** The fastest of so many runs is compared, so that a pause of the machine in all but one of them changes nothing. */
const runs = 15;
/** After so many runs, less than half of the limit is enough to tell: the square gives eight times as much. */
const fewRuns = 3;
/** A text that takes this long is slow enough to tell. */
const longestMs = 300;
/** The clock of a thread counts whole microseconds, and less than this tells nothing. */
const leastMicroseconds = 20;
/** Proportional time is 1, the square is 16. */
export const mostGrowth = 4;

/**
 * Compares the time for one long text with the time for 16 short ones, together of the same length. The result is about 1, or less, where
 * the time is proportional to the length, and 16 where it grows by the square. Shorter texts come first, and end it if they grow too
 * much: the cube of the longest text would take an hour.
 *
 * @param work is called with each text; what it throws is ignored
 * @param textOf makes a text of this many characters
 * @param characters of the longest text
 */
export function measureGrowth(
  work: (text: string) => unknown,
  textOf: (characters: number) => string,
  characters: number,
): number {
  let growth = 0;
  for (const length of [characters / times, characters]) {
    growth = compare(work, textOf(Math.ceil(length / times)), textOf(Math.ceil(length)));
    if (growth > mostGrowth) break;
  }
  return growth;
}

function compare(work: (text: string) => unknown, short: string, long: string): number {
  let [fastestShort, fastestLong] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runs && (run === 0 || fastestLong < longestMs); run++) {
    fastestShort = Math.min(fastestShort, measure(work, short, times));
    fastestLong = Math.min(fastestLong, measure(work, long, 1));
    if (run + 1 >= fewRuns && fastestLong < (mostGrowth / 2) * fastestShort) break;
  }
  return fastestLong / fastestShort;
}

/** @returns milliseconds of processor time of this thread, without that of the kernel: other programs, and how fast it gives memory, change nothing */
function measure(work: (text: string) => unknown, text: string, calls: number): number {
  const start = process.threadCpuUsage();
  for (let call = 0; call < calls; call++) {
    try {
      work(text);
    } catch {
      // A refusal is an answer too.
    }
  }
  const { user } = process.threadCpuUsage(start);
  return Math.max(user, leastMicroseconds) / 1_000;
}
