import type { Ports } from './ports.ts';

/** A server answers within a second or not at all; a proxy before it may take its time. */
export const answerLimitMs = 30_000;

/**
 * Runs a request that is given up when nothing moves for too long: a connection that died without a word never ends by
 * itself.
 *
 * @param run gets a signal that is aborted then, or when `signal` is; and what to call whenever something moves
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
  // It rejects when the request is settled first.
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
