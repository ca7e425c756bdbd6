import type { Clock } from './clock.ts';
import { PlayerError } from './player-error.ts';

/** An attempt without an answer for so long has failed, as for keys in hls.js (maxTimeToFirstByteMs). */
const attemptTimeoutMs = 8_000;

/**
 * @param work gets a signal that is aborted when its time is over. Its result is ignored then
 * @param errors thrown if the work fails, or takes too long
 * @throws PlayerError; a PlayerError of the work is passed on
 */
export async function withTimeout<T>(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  errors: {
    readonly failed: (cause: unknown) => PlayerError;
    readonly late: (limitMs: number) => PlayerError;
  },
): Promise<T> {
  const controller = new AbortController();
  let timer: unknown;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => {
      reject(errors.late(attemptTimeoutMs));
      controller.abort();
    }, attemptTimeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } catch (cause) {
    if (cause instanceof PlayerError) throw cause;
    throw errors.failed(cause);
  } finally {
    clock.clearTimeout(timer);
  }
}
