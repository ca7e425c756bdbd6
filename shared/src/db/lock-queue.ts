/**
 * Milliseconds between two tries. A statement continues at most this long after the other process's write. Background
 * work may delay requests by 50 ms (`docs/reference/contract.md#age-of-a-state`). A try takes some 10 µs.
 */
const retryEveryMs = 2;
/** Milliseconds: as long as a request may wait for the database. */
const patienceMs = 2_000;

export type LockQueue = ReturnType<typeof createLockQueue>;

/**
 * Statements of a process that wait for another process's write.
 *
 * @param ownWrite a write of this process by another connection, which is likely to hold the lock; null if none runs
 */
export function createLockQueue(ownWrite: () => Promise<unknown> | null = () => null) {
  const turns = createMutex();
  return {
    /**
     * Retries until the file is no longer locked, in the order in which statements came. Only one statement retries at a
     * time: a thousand would need the whole event loop. Those behind it need no timers.
     *
     * @throws what the last attempt threw: SQLITE_BUSY after 2 s, anything else at once
     */
    async retry<T>(attempt: () => Promise<T>): Promise<T> {
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
          const retryTime = new Promise((resolve) => setTimeout(resolve, retryEveryMs));
          await Promise.race([retryTime, ownWrite() ?? retryTime]);
        }
      } finally {
        clearTimeout(patience);
        turns.give();
      }
    },
  };
}

export type Mutex = ReturnType<typeof createMutex>;

/** One caller at a time, in the order in which they came. */
export function createMutex() {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take(): Promise<void> {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    give(): void {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
  };
}

/** Whether another process holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}
