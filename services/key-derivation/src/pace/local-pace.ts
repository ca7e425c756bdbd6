import { markKey } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import { numberBytes, objectBytes, slotBytes, textBytes } from '@latchkey/shared/memory';
import { LRUCache } from 'lru-cache';
import { type KeyPace, oneKey, type PacedKey, type PaceState, rateOf, rememberedOf } from './key-pace.ts';

/** The pace of this process alone. */
export interface LocalPace extends KeyPace {
  take(key: PacedKey): number;
  look(key: PacedKey): PaceState;
  /** How many keys the bucket holds now. */
  level(key: PacedKey): number;
  /** Puts keys into the bucket, or takes them out. */
  add(key: PacedKey, keys: number): void;
  /** Lowers the bucket to this level, if it holds more. */
  lower(key: PacedKey, level: number): void;
  /** Notes the key as given. */
  remember(key: PacedKey): void;
  /** Whether it was given lately, and so costs nothing. */
  wasGiven(key: PacedKey): boolean;
  /** The buckets: their number, and the bytes that they take. */
  readonly kept: { readonly size: number; readonly bytes: number };
}

/** An array and its first room: V8 makes it for 17 elements of a word each. */
const arrayBytes = 32 + 16 + 17 * 8;
/** Five fields, a number object for each of level and the two times, and the array. */
const bucketBytes = slotBytes + objectBytes(5) + 3 * numberBytes(0.5) + arrayBytes;
/** A word, and half as much again, because an array grows by that. */
const epochBytes = 12;

/**
 * A bucket of one viewer and content: it holds at most `burst` keys, and fills with `speed` keys in each period. Contents
 * without a pace have none.
 */
class Bucket {
  /** How many keys it held at `atMs`. */
  level: number;
  atMs = 0;
  /** The epochs given last: a ring. */
  readonly given: number[] = [];
  next = 0;

  constructor(level: number) {
    this.level = level;
  }
}

/** Notes the epoch as given last. @returns whether the bucket has grown */
function note(bucket: Bucket, { epoch, periods }: PacedKey): boolean {
  if (bucket.given.includes(epoch)) return false;
  const remembered = rememberedOf(periods);
  const grows = bucket.given.length < remembered;
  if (bucket.next >= remembered) bucket.next = 0;
  bucket.given[bucket.next++] = epoch;
  return grows;
}

/**
 * @param maxBytes limit for all buckets. Where it is reached, the bucket that was used least lately goes, and is full when
 * it comes back
 */
export function createLocalPace(clock: Pick<Clock, 'monotonic'>, maxBytes: number): LocalPace {
  const buckets = new LRUCache<string, Bucket>({ maxSize: maxBytes });

  const nameOf = ({ viewerId, contentId }: PacedKey) => markKey(viewerId, contentId);

  /** The bucket as it is now. A new one is full. */
  function find(name: string, { periods }: PacedKey): Bucket {
    const nowMs = clock.monotonic();
    const found = buckets.get(name);
    const bucket = found ?? new Bucket(periods.burst);
    bucket.level = Math.min(periods.burst, bucket.level + (nowMs - bucket.atMs) * rateOf(periods));
    bucket.atMs = nowMs;
    return bucket;
  }
  function keep(name: string, bucket: Bucket, level: number): void {
    bucket.level = level;
    // The size of an entry is counted when it is added.
    buckets.delete(name);
    buckets.set(name, bucket, { size: bucketBytes + textBytes(name) + epochBytes * bucket.given.length });
  }
  function remember(key: PacedKey): void {
    const name = nameOf(key);
    const bucket = buckets.get(name);
    if (bucket !== undefined && note(bucket, key)) keep(name, bucket, bucket.level);
  }
  function change(key: PacedKey, levelOf: (level: number) => number): void {
    const name = nameOf(key);
    const bucket = find(name, key);
    keep(name, bucket, levelOf(bucket.level));
  }

  const pace: LocalPace = {
    kept: {
      get size() {
        return buckets.size;
      },
      get bytes() {
        return buckets.calculatedSize;
      },
    },
    take(key) {
      const name = nameOf(key);
      const bucket = find(name, key);
      if (bucket.given.includes(key.epoch)) return 0;
      if (bucket.level < oneKey) return (1 - bucket.level) / rateOf(key.periods);
      note(bucket, key);
      keep(name, bucket, bucket.level - 1);
      return 0;
    },
    look: (key) => ({ level: pace.level(key), wasGiven: pace.wasGiven(key) }),
    level: (key) => find(nameOf(key), key).level,
    add: (key, keys) => change(key, (level) => level + keys),
    lower: (key, most) => change(key, (level) => Math.min(level, most)),
    remember,
    wasGiven: (key) => buckets.get(nameOf(key))?.given.includes(key.epoch) ?? false,
  };
  return pace;
}
