import { onTestFinished, vi } from 'vitest';

export interface StoppedTime {
  /** Ends the limits that are over by then. */
  advance(ms: number): void;
  /** Resolves once this many limits of that length were begun. */
  begun(ms: number, count: number): Promise<void>;
}

/**
 * Time limits (`setTimeout`, `AbortSignal.timeout`) run on a time that stands still until the test moves it, to the end
 * of the test. An answer is never too late, however slow the machine, and the test decides when silence counts as such.
 * Clocks, intervals, sockets and Vitest keep their real time. Not in the index, because code outside of tests imports
 * that too.
 */
export function stopTime(): StoppedTime {
  const { setTimeout: before } = globalThis;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { setTimeout: standing } = globalThis;
  const begun: unknown[] = [];
  globalThis.setTimeout = new Proxy(standing, {
    apply(_, self, args) {
      begun.push(args[1]);
      return Reflect.apply(standing, self, args);
    },
  });
  onTestFinished(() => {
    vi.useRealTimers();
    // A test may stop the time twice. Vitest then has nothing to restore the second time.
    globalThis.setTimeout = before;
  });
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('it took too long', 'TimeoutError')), ms);
    return controller.signal;
  });
  return {
    advance: (ms) => void vi.advanceTimersByTime(ms),
    async begun(ms, count) {
      while (begun.filter((begunMs) => begunMs === ms).length < count) await new Promise(setImmediate);
    },
  };
}
