/** Divides long work into portions. Between two of them the process does everything else. One for all playlists of a process. */
export interface WorkPortions {
  /**
   * Asks for leave to work.
   *
   * @param amount in characters, or what takes as long
   * @returns null if the work may begin at once; otherwise a promise that resolves once it may
   */
  take(amount: number): Promise<void> | null;
  /** Works to the end. @param steps each value is the amount of the work that comes after it. @returns their result */
  finish<T>(steps: Generator<number, T, undefined>): Promise<T>;
}

/**
 * The work of one turn of the event loop, in characters. The slowest of the texts in `hostile-playlist.test.ts` takes 35 ns for a character, so
 * this takes some 2 ms. A machine that is twenty times as slow stays below 50 ms, the most that a request may wait for other work. A text of
 * 2 MiB has 32 portions or more, and a turn between them takes some microseconds.
 */
export const portionCharacters = 65_536;
/** Characters that are decoded, searched, joined or sent in the time in which one is rewritten: each takes some 4 ns. */
const copiedAtOnce = 8;

/** The amount of work that only moves or searches text. */
export function amountOfCopy(characters: number): number {
  return characters / copiedAtOnce;
}

interface Waiting {
  readonly amount: number;
  readonly begin: () => void;
}

/** @param nextTurn calls a function in a later turn of the event loop */
export function createWorkPortions(nextTurn: (run: () => void) => unknown = setImmediate): WorkPortions {
  /** In the order of their requests. */
  const line = new Set<Waiting>();
  let left = portionCharacters;

  function beginTurn(): void {
    left = portionCharacters;
    for (const waiting of line) {
      if (left <= 0) break;
      line.delete(waiting);
      left -= waiting.amount;
      waiting.begin();
    }
    if (line.size > 0) nextTurn(beginTurn);
  }

  function take(amount: number): Promise<void> | null {
    if (left > 0 && line.size === 0) {
      left -= amount;
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    if (line.size === 0) nextTurn(beginTurn);
    line.add({ amount, begin: resolve });
    return promise;
  }

  return {
    take,
    async finish(steps) {
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value;
        const turn = take(value);
        if (turn) await turn;
      }
    },
  };
}
