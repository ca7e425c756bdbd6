import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/clock.ts';

/**
 * An entry that is not used for this long is dropped as others come, and reloaded if it is needed again. Players
 * request a key every few segments, and 300 s is the usual life of a lease.
 */
const idleMs = 300_000;

/**
 * A cache whose size is limited by the bytes of its entries. The entry that was used longest ago goes first, so a flood of keys that are
 * used once evicts no key that is in use, unless it fills the whole cache between two uses.
 */
export class RecencyMap<V extends object> extends LRUCache<string, V> {
  /** @param maxBytes limit for all entries together. A larger entry is not kept */
  constructor(maxBytes: number, clock: Pick<Clock, 'monotonic'>) {
    super({
      maxSize: maxBytes,
      ttl: idleMs,
      updateAgeOnGet: true,
      // So that `rkeys` lists idle ones. A `get` of one returns it, and drops it.
      allowStale: true,
      // Else each second sets a timer.
      ttlResolution: 0,
      perf: { now: () => clock.monotonic() },
    });
  }

  /** Bytes of all entries together. */
  get bytes(): number {
    return this.calculatedSize;
  }

  /** Drops those that are idle, and adds or replaces this entry of `size` bytes. Its `ttl` may be longer than usual. */
  override set(key: string, value: V, options: { size: number; ttl?: number }): this {
    for (const oldest of this.rkeys()) {
      if (this.getRemainingTTL(oldest) > 0) break;
      this.delete(oldest);
    }
    return super.set(key, value, options);
  }
}
