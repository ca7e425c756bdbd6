import { currentEpochOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import { explainError } from '../explain-error.ts';
import { describeClockOffset, type Schedule } from '../keys/clock-periods.ts';
import { unavailable } from '../refusal.ts';
import type { KeyPairFiles } from './key-pair-files.ts';

/** The files stay when `signal` is aborted, so that the encoder goes on. */
export interface FollowOptions extends Pick<CommandContext, 'clock' | 'randomBytes' | 'wait' | 'signal'> {
  readonly schedule: Schedule;
  /** Reads the schedule again. */
  readonly readSchedule: (signal: AbortSignal) => Promise<Schedule>;
  readonly fetchKey: (epoch: number, signal: AbortSignal) => Promise<Uint8Array>;
  readonly files: KeyPairFiles;
  /** The URI of an epoch's key for the playlist. */
  readonly uriOf: (epoch: number) => string;
  readonly whenUnreachable: 'keep' | 'stop';
  /** For the operator. */
  readonly warn: (text: string) => void;
}

/** The block size of AES (RFC 8216 section 5.2). */
const ivBytes = 16;
/** How often the IV changes. ffmpeg reads it for each segment, so segments of a second or more have IVs of their own. */
const tickSeconds = 0.5;
/** Between two attempts after a failure. */
const retryMs = 1_000;
/** A server that accepts connections and does not answer must not use up a short period. */
const attemptMs = 5_000;

/**
 * Keeps a key info file and its key file at the epoch of now, by the clock of the content, until the signal is aborted. Keys are fetched as
 * early as the server serves them, so an outage that is shorter than `ahead` periods goes unnoticed.
 *
 * @throws AppError if the first key cannot be had, and with `whenUnreachable: 'stop'` if a later one cannot
 */
export async function followKeyInfo(options: FollowOptions): Promise<void> {
  const { files, uriOf, clock, randomBytes, signal } = options;
  const keys = createKeyStock(options);
  /** The key that the files hold. It stays until a later key is here. */
  let held: { epoch: number; key: Uint8Array } | null = null;
  while (!signal.aborted) {
    const { periods, clockOffsetMs } = keys.schedule();
    const now = clock.now() + clockOffsetMs;
    const epoch = currentEpochOf(periods, now);
    // Before the origin, the encoder waits for its first key.
    if (epoch >= 0) {
      if (held === null) await keys.fetchFirst(epoch);
      keys.restock(epoch);
      const key = keys.get(epoch);
      if (key) held = { epoch, key };
      else if (keys.failureOf(epoch)) await giveUpOrKeep(options, epoch, keys);
      const iv = Buffer.from(randomBytes(ivBytes)).toString('hex');
      if (held) await files.write({ ...held, uri: uriOf(held.epoch), iv });
    }
    const nextAt = periods.origin + (epoch + 1) * periods.periodSeconds * 1_000;
    const seconds = Math.min(tickSeconds, Math.max((nextAt - now) / 1_000, 0.001));
    await options.wait(seconds, signal).catch(() => {});
  }
}

async function giveUpOrKeep({ whenUnreachable, files, warn }: FollowOptions, epoch: number, keys: KeyStock) {
  const reason = explainError(keys.failureOf(epoch));
  if (whenUnreachable === 'stop') {
    await files.remove();
    throw unavailable(
      `the key of epoch ${epoch} cannot be had (${reason}). The key info file is removed, so the encoder ends`,
    );
  }
  if (keys.warnOnce())
    warn(
      `the key of epoch ${epoch} cannot be had (${reason}). The encoder goes on with the last key, so a viewer who is revoked now plays on until the server is back`,
    );
}

/** The keys at hand. */
type KeyStock = ReturnType<typeof createKeyStock>;

function createKeyStock(options: FollowOptions) {
  const { clock, signal, warn } = options;
  let { schedule } = options;
  const keys = new Map<number, Uint8Array>();
  /** On the monotonic clock; infinite while an attempt is running. */
  let nextAttemptAt = Number.NEGATIVE_INFINITY;
  let failure: { epoch: number; error: unknown } | null = null;
  let hasWarned = false;
  let askedAt: number | null = null;

  const fetchOne = async (epoch: number) => {
    const key = await options.fetchKey(epoch, AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]));
    keys.set(epoch, key);
    failure = null;
    if (hasWarned) warn(`the server is back: the key of epoch ${epoch} is here`);
    hasWarned = false;
  };
  /** The operator may have changed the periods. What fails here, fails for the key too. */
  const refresh = async (epoch: number) => {
    if (askedAt === epoch) return;
    const before = schedule.clockOffsetMs;
    schedule = await options.readSchedule(AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]));
    askedAt = epoch;
    if (before === 0 && schedule.clockOffsetMs !== 0) warn(warnOfOffset(schedule.clockOffsetMs));
  };
  const work = async (epoch: number) => {
    const wanted = Array.from({ length: schedule.periods.ahead + 1 }, (_, index) => epoch + index);
    for (const old of keys.keys()) if (old < epoch) keys.delete(old);
    for (const each of wanted) {
      if (keys.has(each)) continue;
      try {
        await fetchOne(each);
      } catch (error) {
        // The server's clock is a little behind: it serves the key soon.
        const isEarly = error instanceof AppError && error.code === 'EPOCH_NOT_YET';
        if (!isEarly && each === epoch) failure = { epoch, error };
        throw error;
      }
    }
    await refresh(epoch);
  };

  return {
    schedule: () => schedule,
    get: (epoch: number) => keys.get(epoch),
    /** @throws AppError if it cannot be had */
    fetchFirst: fetchOne,
    /** Fetches the missing keys of this epoch and of the epochs that the server serves ahead. It does not wait. */
    restock(epoch: number): void {
      if (clock.monotonic() < nextAttemptAt) return;
      nextAttemptAt = Number.POSITIVE_INFINITY;
      const setNext = (afterMs: number) => () => {
        nextAttemptAt = clock.monotonic() + afterMs;
      };
      work(epoch).then(setNext(0), setNext(retryMs));
    },
    /** The error if the key was wanted in its own period, and refused or not answered. */
    failureOf: (epoch: number) => (failure?.epoch === epoch ? failure.error : undefined),
    /** @returns true the first time in an outage */
    warnOnce(): boolean {
      const isFirst = !hasWarned;
      hasWarned = true;
      return isFirst;
    },
  };
}

/** @param offsetMs the server's clock less this machine's */
export function warnOfOffset(offsetMs: number): string {
  return `${describeClockOffset(offsetMs)}, which is used. Set the clock: key periods go by it`;
}
