import type { Clock } from './clock.ts';
import { PlayerError } from './player-error.ts';

/** An attempt without an answer for this long has failed. As hls.js has it for keys (maxTimeToFirstByteMs). */
const attemptTimeoutMs = 8_000;

/**
 * @param work gets a signal that is aborted when its time is over; its result is ignored from then on
 * @param errors what is thrown where the work fails, and where it takes too long
 * @throws PlayerError; one that the work throws, as it is
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
