import { type ClockPeriods, currentEpochOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import { explainError } from '../explain-error.ts';

/** The keys of a live encryption. */
export type KeyRing = ReturnType<typeof createKeyRing>;

interface KeyRingOptions extends Pick<CommandContext, 'clock' | 'wait' | 'signal'> {
  readonly periods: ClockPeriods;
  readonly fetchKey: (epoch: number, signal: AbortSignal) => Promise<Uint8Array>;
  readonly say: (text: string) => void;
}

/** Between two attempts: an outage that ends is noticed within a second. */
const retrySeconds = 1;
/** A server that accepts connections and does not answer must not take the time that a short period has left. */
const attemptTimeoutMs = 5_000;
/** A start takes the keys of a long window one after the other. Older keys can be fetched again. */
const keptKeys = 64;

/**
 * Fetches the key of the next period as soon as the server serves it, so an outage of the server that is shorter than a period
 * goes unnoticed. Keys are in memory only.
 */
export function createKeyRing(options: KeyRingOptions) {
  const { periods, clock, wait, signal, say } = options;
  const keys = new Map<number, Uint8Array>();
  const running = new Map<number, Promise<Uint8Array>>();
  /** The last report about an outage: another one follows only if it gets worse. */
  let outage: 'none' | 'unnoticed' | 'waiting' = 'none';

  const attempt = async (epoch: number): Promise<Uint8Array> => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]);
    const key = await options.fetchKey(epoch, inTime);
    keys.set(epoch, key);
    for (const old of [...keys.keys()].sort((a, b) => a - b).slice(0, -keptKeys)) keys.delete(old);
    if (outage !== 'none') say(`the key of epoch ${epoch} is here`);
    outage = 'none';
    return key;
  };
  /** One request for a key, however many renditions need it. */
  const fetchOnce = (epoch: number): Promise<Uint8Array> => {
    const known = running.get(epoch);
    if (known) return known;
    const started = attempt(epoch).finally(() => running.delete(epoch));
    running.set(epoch, started);
    return started;
  };
  const report = (now: 'unnoticed' | 'waiting', epoch: number, error: unknown, consequence: string) => {
    if (outage === now || outage === 'waiting') return;
    outage = now;
    say(`the key of epoch ${epoch} cannot be had (${explainError(error)}); ${consequence}`);
  };

  return {
    /** Waits until the key can be had. @throws AppError `EPOCH_PAST` if it is not served any more */
    async get(epoch: number): Promise<Uint8Array> {
      for (;;) {
        signal.throwIfAborted();
        const known = keys.get(epoch);
        if (known) return known;
        try {
          return await fetchOnce(epoch);
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof AppError && error.code === 'EPOCH_PAST') throw error;
          report('waiting', epoch, error, 'the playlist stands still until it can');
          await wait(retrySeconds, signal);
        }
      }
    },
    /** Fetches the key of each period before it begins, until the signal is aborted. */
    async keepAhead() {
      while (!signal.aborted) {
        const current = currentEpochOf(periods, clock.now());
        const wanted = [current, ...(periods.ahead > 0 ? [current + 1] : [])];
        for (const epoch of wanted) {
          if (epoch < 0 || keys.has(epoch)) continue;
          await fetchOnce(epoch).catch((error: unknown) => {
            const isHeld = keys.has(currentEpochOf(periods, clock.now()));
            const end = new Date(periods.origin + (current + 1) * periods.periodSeconds * 1_000);
            // A server whose clock is a little behind serves it soon.
            const early = error instanceof AppError && error.code === 'EPOCH_NOT_YET';
            if (!signal.aborted && isHeld && !early)
              report('unnoticed', epoch, error, `the present key holds until ${end.toISOString()}`);
          });
        }
        await wait(retrySeconds, signal).catch(() => {});
      }
    },
  };
}
