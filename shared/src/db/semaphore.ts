/** A number of places that callers take in turn. */
export interface Semaphore {
  /** @throws Error after `waitMs` */
  take(): Promise<void>;
  give(): void;
  /** How many wait. */
  waiting(): number;
}

/** @param waitMs how long a caller waits for a place */
export function createSemaphore(count: number, waitMs: number): Semaphore {
  const waiting = new Set<() => void>();
  let free = count;
  return {
    waiting: () => waiting.size,
    take() {
      if (free > 0) {
        free--;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(enter);
          // Worded like pg's error, by which an unreachable database is recognised.
          reject(new Error('timeout exceeded when trying to connect'));
        }, waitMs);
        const enter = () => {
          clearTimeout(timer);
          resolve();
        };
        waiting.add(enter);
      });
    },
    give() {
      const [next] = waiting;
      if (!next) {
        free++;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
