import { createTurns } from './turns.ts';

/**
 * Between two tries, in milliseconds. A statement goes on that long after the other process's write, at most, and requests may
 * wait 50 ms for whatever runs in the background (`docs/contract.md#age-of-a-state`). A try takes some 10 µs.
 */
const retryEveryMs = 2;
/** As long as a request may wait for the database, in milliseconds. */
const patienceMs = 2_000;

/** The statements of a process that wait until another process has written. */
export interface LockQueue {
  /**
   * Tries again until the file is not locked any more, in the order in which statements came. One at a time tries: a
   * thousand would need the whole event loop for it. Those behind it need no timer of their own.
   *
   * @throws what the last attempt threw: SQLITE_BUSY after 2 s, anything else at once
   */
  retry<T>(attempt: () => Promise<T>): Promise<T>;
}

export function createLockQueue(): LockQueue {
  const turns = createTurns();
  return {
    async retry(attempt) {
      let isOver = false;
      const patience = setTimeout(() => {
        isOver = true;
      }, patienceMs);
      await turns.take();
      try {
        for (;;) {
          try {
            return await attempt();
          } catch (error) {
            if (isOver || !isBusy(error)) throw error;
          }
          await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
        }
      } finally {
        clearTimeout(patience);
        turns.give();
      }
    },
  };
}

/** Whether another process holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}
