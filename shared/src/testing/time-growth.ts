/** The longer text has as many times the length of the shorter one. */
const times = 16;
/** The fastest of 15 runs is compared, so that a pause of the machine in 14 of them changes nothing. */
const runs = 15;
/** After 3 runs, less than half of the limit is enough to tell: the square gives eight times as much. */
const fewRuns = 3;
/** A text that takes this long is slow enough to tell. */
const longestMs = 300;
/**
 * Shorter times count as this: if all 16 KiB take less, an array that no longer fits into the young heap is already eight times the work.
 * `/a+$/`, whose time grows by the square, takes 270 ms for as much text.
 */
const leastMs = 1;
/** Proportional time is 1, the square is 16. */
export const mostGrowth = 4;

/**
 * Compares the time for one long text with the time for 16 short ones, together of the same length. The result is about 1, or less, if
 * the time is proportional to the length, and 16 when it grows by the square. Shorter texts come first, and end it if they grow too
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

/**
 * Measures by the clock of the wall. The clock of a thread counts in ticks of 4 ms on some kernels (`CONFIG_TICK_CPU_ACCOUNTING`), and most
 * texts here take less. Other programs delay all runs but the fastest.
 *
 * @returns milliseconds
 */
function measure(work: (text: string) => unknown, text: string, calls: number): number {
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    try {
      work(text);
    } catch {
      // A refusal is an answer too.
    }
  }
  return Math.max(performance.now() - start, leastMs);
}
