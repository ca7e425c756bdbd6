/** One caller at a time, in the order in which they came. */
export interface Mutex {
  take(): Promise<void>;
  give(): void;
}

export function createMutex(): Mutex {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
  };
}
