import { monotonicMs } from './order.ts';

/** A timer of Node fires at whole milliseconds. */
const tickMs = 1;
/** How long the thread may sleep at a time. Answers wait as long. */
const napMs = 0.25;

/** Makes calls at even distances. Late calls are made at once. Resolves after the last call. */
export type Pace = (calls: number, ratePerSecond: number, call: () => void) => Promise<void>;

/**
 * By a timer: calls that are due in the same millisecond are made at once. Answers are read as soon as they come, so this is
 * for measuring latency.
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
 * One at a time: the thread sleeps until the next call is due. This is for measuring CPU time. Two requests at once cost a
 * server less than two apart, and how often they reach the same replica depends on the number of replicas.
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

/** @returns a function that makes the calls that are due; it returns milliseconds until the next one, null after the last */
function createCatchUp(calls: number, ratePerSecond: number, call: () => void): () => number | null {
  const startedAtMs = monotonicMs();
  let called = 0;
  return () => {
    const elapsedMs = monotonicMs() - startedAtMs;
    for (const due = Math.min(calls, (elapsedMs * ratePerSecond) / 1_000); called < due; called++) call();
    return called < calls ? Math.max(0, (called * 1_000) / ratePerSecond - elapsedMs) : null;
  };
}
