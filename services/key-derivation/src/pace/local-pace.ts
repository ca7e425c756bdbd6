import { markKey } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import { mapSlotBytes, objectBytes, type RecencyEntry, RecencyMap, textBytes } from '@latchkey/shared/memory';
import { type KeyPace, type PacedKey, rateOf, rememberedOf } from './key-pace.ts';

/** The pace of this process alone. */
export interface LocalPace extends KeyPace {
  take(key: PacedKey): number;
  /** Same as `take`, but counts nothing. */
  look(key: PacedKey): number;
  /** Whether it was given lately, and so costs nothing. */
  wasGiven(key: PacedKey): boolean;
  /** Counts a key as given that another place has allowed, even where this process would not. */
  note(key: PacedKey): void;
}

/** Seven fields, and a number object for each of level and time. */
const bucketBytes = mapSlotBytes + objectBytes(7) + 2 * 16;
const epochBytes = 8;

/**
 * A bucket of one viewer and content: it holds at most `burst` keys, and fills with `speed` keys in each period. Contents
 * without a pace have none.
 */
class Bucket implements RecencyEntry {
  bytes: number;
  review = 0;
  level: number;
  atMs: number;
  /** When it will be full again, without further requests. It must be kept until then. */
  fullAtMs: number;
  /** The epochs given last: a ring. */
  readonly given: number[] = [];
  next = 0;

  constructor(keyBytes: number, level: number, nowMs: number) {
    this.bytes = keyBytes + bucketBytes;
    this.level = level;
    this.atMs = nowMs;
    this.fullAtMs = nowMs;
  }
}

/**
 * @param maxBytes limit for all buckets. Where it is reached, the bucket that was used least lately goes, and is full when
 * it comes back
 */
export function createLocalPace(clock: Pick<Clock, 'monotonic'>, maxBytes: number): LocalPace {
  const buckets = new RecencyMap<Bucket>(maxBytes, clock, ({ fullAtMs }) => fullAtMs > clock.monotonic());

  function levelOf(bucket: Bucket, { periods }: PacedKey, nowMs: number): number {
    return Math.min(periods.burst, bucket.level + (nowMs - bucket.atMs) * rateOf(periods));
  }
  function waitMs(bucket: Bucket | undefined, key: PacedKey, nowMs: number): number {
    if (bucket === undefined || bucket.given.includes(key.epoch)) return 0;
    const level = levelOf(bucket, key, nowMs);
    return level >= 1 ? 0 : (1 - level) / rateOf(key.periods);
  }
  function give(name: string, found: Bucket | undefined, key: PacedKey, nowMs: number): void {
    if (found?.given.includes(key.epoch)) return;
    const { periods, epoch } = key;
    const bucket = found ?? new Bucket(textBytes(name), periods.burst, nowMs);
    bucket.level = Math.max(0, levelOf(bucket, key, nowMs) - 1);
    bucket.atMs = nowMs;
    bucket.fullAtMs = nowMs + (periods.burst - bucket.level) / rateOf(periods);
    const remembered = rememberedOf(periods);
    const hasGrown = bucket.given.length < remembered;
    if (bucket.next >= remembered) bucket.next = 0;
    bucket.given[bucket.next++] = epoch;
    if (found && !hasGrown) return;
    // Its size is counted when it is set.
    buckets.delete(name);
    bucket.bytes = textBytes(name) + bucketBytes + epochBytes * bucket.given.length;
    buckets.set(name, bucket);
  }

  return {
    take(key) {
      const name = markKey(key.viewerId, key.contentId);
      const bucket = buckets.get(name);
      const nowMs = clock.monotonic();
      const wait = waitMs(bucket, key, nowMs);
      if (wait === 0) give(name, bucket, key, nowMs);
      return wait;
    },
    wasGiven: ({ viewerId, contentId, epoch }) =>
      buckets.get(markKey(viewerId, contentId))?.given.includes(epoch) ?? false,
    look(key) {
      return waitMs(buckets.get(markKey(key.viewerId, key.contentId)), key, clock.monotonic());
    },
    note(key) {
      const name = markKey(key.viewerId, key.contentId);
      give(name, buckets.get(name), key, clock.monotonic());
    },
  };
}
