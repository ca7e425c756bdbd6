import type { Clock } from './clock.ts';
import { networkError, PlayerError } from './player-error.ts';

/** An attempt without an answer for this long has failed. As hls.js has it for keys (maxTimeToFirstByteMs). */
const attemptTimeoutMs = 8_000;

/**
 * @param work gets a signal that is aborted when its time is over; nobody waits for it from then on
 * @param says what is wrong where the work fails, and where it takes too long
 * @throws PlayerError `NETWORK` where the work fails or takes too long; a PlayerError of its own as it is
 */
export async function withTimeout<T>(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  says: { readonly failed: string; readonly late: string },
): Promise<T> {
  const controller = new AbortController();
  let timer: unknown;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => {
      reject(networkError(`${says.late} within ${attemptTimeoutMs} ms.`));
      controller.abort();
    }, attemptTimeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } catch (cause) {
    if (cause instanceof PlayerError) throw cause;
    throw networkError(says.failed, { cause });
  } finally {
    clock.clearTimeout(timer);
  }
}
