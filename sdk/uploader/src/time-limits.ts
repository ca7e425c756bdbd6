import type { Ports } from './ports.ts';

/** A server answers within a second or not at all. A proxy may take longer. */
export const answerLimitMs = 30_000;

/**
 * Ends a request without progress for too long, since a dead connection never ends by itself.
 *
 * @param run gets a signal that is aborted then, or when `signal` is; and a function to call at each progress
 */
export async function withStallLimit<Value>(
  limitMs: number,
  { elapsedMs, wait }: Pick<Ports, 'elapsedMs' | 'wait'>,
  signal: AbortSignal,
  run: (signal: AbortSignal, moved: () => void) => Promise<Value>,
): Promise<Value> {
  const request = new AbortController();
  const settled = new AbortController();
  const end = () => request.abort(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  let movedAtMs = elapsedMs();
  const watch = async () => {
    for (let leftMs = limitMs; leftMs > 0; leftMs = movedAtMs + limitMs - elapsedMs()) {
      await wait(leftMs, settled.signal);
    }
    request.abort(new Error(`nothing moved for ${limitMs / 1000} s`));
  };
  // Rejects if the request ends first.
  watch().catch(() => {});
  try {
    return await run(request.signal, () => {
      movedAtMs = elapsedMs();
    });
  } finally {
    settled.abort();
    signal.removeEventListener('abort', end);
  }
}

/**
 * Waits for work that may know nothing of the signal.
 *
 * @throws the signal's reason as soon as it is aborted. The result of the work is then ignored
 */
export function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    const settle = () => signal.removeEventListener('abort', end);
    work.then(resolve, reject).then(settle);
  });
}

/**
 * Calls a callback of the application. It does not know the signal, and may wait for a server that never answers.
 *
 * @throws what the callback throws, the reason of the signal, or an error without an answer within `answerLimitMs`
 */
export function askApplication<Value>(
  callback: () => Value | Promise<Value>,
  ports: Ports,
  signal: AbortSignal,
): Promise<Value> {
  return withStallLimit(answerLimitMs, ports, signal, (limit) =>
    untilAborted(limit, (async () => callback())()),
  );
}
