import { type CacheTag, namedBy } from '../authority/index.ts';
import { nullable } from '../contracts/index.ts';
import type { Change, FeedRecord } from '../events/index.ts';
import { type Static, Type } from '../schema/type.ts';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * A place in the change feed at which a state is known to be true. The number alone is not enough: a restored database
 * reuses its numbers for other changes, which have other times.
 *
 * `history` is the database that was followed (`FeedPage`); missing where unknown. A state may include more than its
 * number says, such as changes that a failover lost. So a state is valid only for its own database.
 */
export const FeedStampSchema = Type.Object({
  number: Count,
  /** The time of the row with this number, milliseconds since 1970. */
  at: Type.Integer({ minimum: 0 }),
  history: Type.Optional(nullable(Type.String())),
});
export type FeedStamp = Static<typeof FeedStampSchema>;

interface Row {
  at: number;
  names: readonly string[];
}

/**
 * The latest changes of the feed, for judging a state with a stamp: it still holds if no later change has named it.
 * The record knows from which number on it is complete, and judges no older stamps.
 */
export class RecentChanges implements FeedRecord {
  readonly #capacity: number;
  /** Complete from `#from` to `#position`. Beyond that, it has only changes that arrived out of order. */
  readonly #rows = new Map<number, Row>();
  /** The last number that named each tag. */
  readonly #lastNaming = new Map<string, number>();
  #from = 0;
  /** Null before the feed is followed. */
  #position: number | null = null;
  #history: string | null = null;
  /** The highest number of a received change that was not kept; 0 if all were kept. */
  #unkeptUpTo = 0;
  /** Reads of the feed that have ended since the last of them was received. */
  #readingsSince = 0;

  /** @param capacity changes kept; each takes some 200 bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(number: number, at: number, change: Change): void {
    if (this.#position === null || number > this.#position + this.#capacity) {
      this.#skip(number);
      return;
    }
    if (number <= this.#from) return;
    const names = namedBy(change).map(nameOf);
    const followed = number <= this.#position ? this.#rows.get(number) : undefined;
    if (followed) {
      // It comes again, or it belongs to a history that the database has left: the row of this number keeps its names.
      for (const name of followed.names) if (!names.includes(name)) names.push(name);
      this.#rows.set(number, { at: followed.at, names });
    } else {
      this.#remove(number);
      this.#rows.set(number, { at, names });
    }
    for (const name of names) {
      this.#lastNaming.set(name, Math.max(number, this.#lastNaming.get(name) ?? 0));
    }
  }

  advance(number: number): void {
    if (this.#position !== null && number <= this.#position) return;
    this.#position = number;
    for (; this.#from <= number - this.#capacity; this.#from++) this.#remove(this.#from);
  }

  restart(number: number, at: number | null, history: string | null = null): void {
    this.#history = history;
    // Received later changes stay valid. A change too far ahead belongs to a history that the database has left, and
    // would never be removed.
    for (const kept of [...this.#rows.keys()]) {
      if (kept <= number) this.#remove(kept);
      else if (kept > number + this.#capacity) {
        this.#remove(kept);
        this.#skip(kept);
      }
    }
    if (at !== null) this.#rows.set(number, { at, names: [] });
    this.#from = number;
    this.#position = number;
  }

  caughtUp(): void {
    // The second read to end began after the change was received. If it did not get that far, the number belongs to
    // another history or does not exist. Keeping it would invalidate every state permanently.
    if (++this.#readingsSince >= 2) this.#unkeptUpTo = 0;
  }

  /** Maximum number of kept changes. */
  get size(): number {
    return this.#rows.size;
  }

  /**
   * The latest stamp for a state that is known to be true at the given number of the feed.
   *
   * @returns null where the record does not reach that number
   */
  stamp(number = Number.POSITIVE_INFINITY): FeedStamp | null {
    if (this.#position === null) return null;
    // A state that is true at a later number includes every earlier change, so an earlier number is correct too.
    const reached = Math.min(number, this.#position);
    const row = this.#rows.get(reached);
    if (!row) return null;
    return { number: reached, at: row.at, ...(this.#history !== null && { history: this.#history }) };
  }

  /** Whether no change has named it since, in the followed feed and among the changes received beyond it. */
  confirms({ number, at, history }: FeedStamp, names: readonly CacheTag[]): boolean {
    if (history != null && history !== this.#history) return false;
    if (this.#position === null || number > this.#position || this.#position < this.#unkeptUpTo) return false;
    // Below `#from` there is no row; a row of another history has another time.
    if (this.#rows.get(number)?.at !== at) return false;
    return names.every((naming) => (this.#lastNaming.get(nameOf(naming)) ?? 0) <= number);
  }

  #skip(number: number): void {
    this.#unkeptUpTo = Math.max(this.#unkeptUpTo, number);
    this.#readingsSince = 0;
  }

  #remove(number: number): void {
    const row = this.#rows.get(number);
    if (!row || !this.#rows.delete(number)) return;
    for (const name of row.names) {
      if (this.#lastNaming.get(name) === number) this.#lastNaming.delete(name);
    }
  }
}

function nameOf({ cache, tag }: CacheTag): string {
  return `${cache} ${tag}`;
}
