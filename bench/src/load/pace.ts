import { monotonicMs } from './order.ts';

/** A timer of Node fires at whole milliseconds. */
const tickMs = 1;
/** How long the thread may sleep at a time; answers wait for so long. */
const napMs = 0.25;

/** Calls so often, at even distances. A late call catches up at once. Resolves after the last call. */
export type Pace = (calls: number, ratePerSecond: number, call: () => void) => Promise<void>;

/**
 * By a timer: what is due within a millisecond comes together. Answers are read the moment that they come, so this is for
 * measuring latency.
 */
export const byTicks: Pace = (calls, ratePerSecond, call) => {
  const catchUp = createCatchUp(calls, ratePerSecond, call);
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (catchUp() !== null) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
};

/**
 * One at a time: the thread sleeps until the next one is due. Two that come together cost a server less than two that come
 * apart, and whether they meet at the same replica depends on how many there are; so this is for measuring CPU time.
 */
export const oneByOne: Pace = (calls, ratePerSecond, call) => {
  const catchUp = createCatchUp(calls, ratePerSecond, call);
  const never = new Int32Array(new SharedArrayBuffer(4));
  return new Promise((resolve) => {
    const turn = () => {
      const dueInMs = catchUp();
      if (dueInMs === null) return resolve();
      Atomics.wait(never, 0, 0, Math.min(napMs, dueInMs));
      setImmediate(turn);
    };
    turn();
  });
};

/** Calls what is due. @returns when the next is due, in milliseconds from now; null where there is none left */
function createCatchUp(calls: number, ratePerSecond: number, call: () => void): () => number | null {
  const startedAtMs = monotonicMs();
  let called = 0;
  return () => {
    const elapsedMs = monotonicMs() - startedAtMs;
    for (const due = Math.min(calls, (elapsedMs * ratePerSecond) / 1_000); called < due; called++) call();
    return called < calls ? Math.max(0, (called * 1_000) / ratePerSecond - elapsedMs) : null;
  };
}
