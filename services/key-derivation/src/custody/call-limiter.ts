/** A bounded number of callers at once, and the others in their order. */
export interface CallLimiter {
  /** Resolves when it is the caller's turn; null where too many wait already. A caller that had a turn passes it on. */
  take(): Promise<void> | null;
  pass(): void;
  readonly underWay: number;
  readonly waiting: number;
}

export function createCallLimiter(atOnceMost: number, waitingMost: number): CallLimiter {
  const line: (() => void)[] = [];
  let underWay = 0;
  return {
    take() {
      if (underWay >= atOnceMost) {
        if (line.length >= waitingMost) return null;
        // The turn is passed on, so the number under way stays as it is.
        return new Promise<void>((resolve) => line.push(resolve));
      }
      underWay++;
      return Promise.resolve();
    },
    pass() {
      const next = line.shift();
      if (next) next();
      else underWay--;
    },
    get underWay() {
      return underWay;
    },
    get waiting() {
      return line.length;
    },
  };
}
