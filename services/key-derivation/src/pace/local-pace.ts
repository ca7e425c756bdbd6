import { markKey } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import {
  mapSlotBytes,
  numberBytes,
  objectBytes,
  type RecencyEntry,
  RecencyMap,
  textBytes,
} from '@latchkey/shared/memory';
import { type KeyPace, type PacedKey, rateOf, rememberedOf } from './key-pace.ts';

/** The pace of this process alone. */
export interface LocalPace extends KeyPace {
  take(key: PacedKey): number;
  /** How many keys the bucket holds now. */
  level(key: PacedKey): number;
  /** Whether it was given lately, and so costs nothing. */
  wasGiven(key: PacedKey): boolean;
  /**
   * Follows what the shared bucket decided, so that this one is no fuller when it has to decide alone.
   *
   * @param level what the shared bucket has left
   * @param given whether it gave the key
   */
  follow(key: PacedKey, level: number, given: boolean): void;
}

/** An array and its first room: V8 makes it for 17 elements of a word each. */
const arrayBytes = 32 + 16 + 17 * 8;
/** Seven fields, a number object for each of level and the two times, and the array. */
const bucketBytes = mapSlotBytes + objectBytes(7) + 3 * numberBytes(0.5) + arrayBytes;
/** A word, and half as much again, because an array grows by that. */
const epochBytes = 12;

/**
 * A bucket of one viewer and content: it holds at most `burst` keys, and fills with `speed` keys in each period. Contents
 * without a pace have none.
 */
class Bucket implements RecencyEntry {
  bytes: number;
  review = 0;
  /** How many keys it held at `atMs`. */
  level = 0;
  atMs = 0;
  /** When it will be full again, without further requests. It must be kept until then. */
  fullAtMs = 0;
  /** The epochs given last: a ring. */
  readonly given: number[] = [];
  next = 0;

  constructor(nameBytes: number) {
    this.bytes = nameBytes + bucketBytes;
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
  /** The bucket with this level from now on. A new one is made where there is none. */
  function fill(name: string, found: Bucket | undefined, key: PacedKey, level: number, nowMs: number) {
    const bucket = found ?? new Bucket(textBytes(name));
    bucket.level = level;
    bucket.atMs = nowMs;
    bucket.fullAtMs = nowMs + (key.periods.burst - level) / rateOf(key.periods);
    if (!found) buckets.set(name, bucket);
    return bucket;
  }
  function remember(name: string, bucket: Bucket, { periods, epoch }: PacedKey): void {
    const remembered = rememberedOf(periods);
    const grows = bucket.given.length < remembered;
    if (bucket.next >= remembered) bucket.next = 0;
    bucket.given[bucket.next++] = epoch;
    if (!grows) return;
    // Its size is counted when it is set.
    buckets.delete(name);
    bucket.bytes += epochBytes;
    buckets.set(name, bucket);
  }

  return {
    take(key) {
      const name = markKey(key.viewerId, key.contentId);
      const found = buckets.get(name);
      if (found?.given.includes(key.epoch)) return 0;
      const nowMs = clock.monotonic();
      const level = found ? levelOf(found, key, nowMs) : key.periods.burst;
      if (level < 1) return (1 - level) / rateOf(key.periods);
      remember(name, fill(name, found, key, level - 1, nowMs), key);
      return 0;
    },
    level(key) {
      const bucket = buckets.get(markKey(key.viewerId, key.contentId));
      return bucket ? levelOf(bucket, key, clock.monotonic()) : key.periods.burst;
    },
    wasGiven: ({ viewerId, contentId, epoch }) =>
      buckets.get(markKey(viewerId, contentId))?.given.includes(epoch) ?? false,
    follow(key, level, given) {
      const name = markKey(key.viewerId, key.contentId);
      const found = buckets.get(name);
      const nowMs = clock.monotonic();
      const own = found ? levelOf(found, key, nowMs) : level;
      const bucket = fill(name, found, key, Math.min(own, level), nowMs);
      if (given && !bucket.given.includes(key.epoch)) remember(name, bucket, key);
    },
  };
}
