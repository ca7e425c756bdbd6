import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors/errors.ts';
import type { FeedPosition } from '../events/feed-position.ts';
import { copyText, numberBytes, objectBytes, slotBytes, textBytes } from '../memory/index.ts';
import { type KeptState, KeptValue, type ReadFacts } from './kept-state.ts';
import { NamedSelectors } from './named-selectors.ts';

/** A state that the load found elsewhere than at its owner, and that is known to have held at an earlier instant. */
export class EarlierState<V> {
  readonly value: V | null;
  /** Monotonic milliseconds. */
  readonly heldAtMs: number;

  constructor(value: V | null, heldAtMs: number) {
    this.value = value;
    this.heldAtMs = heldAtMs;
  }
}

/** The known state of a key: its value, or null if it has no value. */
export interface KnownState<V> {
  readonly value: V | null;
  /** Rises with each load. A caller that needs a state that was read after its own start compares this with `loadsBegun`. */
  readonly loadNumber: number;
  /**
   * Monotonic milliseconds: the state held at this instant or later. Where the load read the owner, the instant when the
   * load began.
   */
  readonly heldAtMs: number;
  /** Wall clock, milliseconds since 1970, when the load began. Null where the load did not read the owner. */
  readonly readAtMs: number | null;
}

/** A running load. */
export interface PendingLoad {
  readonly key: string;
  readonly loadNumber: number;
  readonly beganAtMs: number;
  /** The same instant by the wall clock, milliseconds since 1970. */
  readonly beganAt: number;
  /** The cache's step when the load began. A change with a later step may be missing from what the load reads. */
  readonly step: number;
  /** Whether a change has named this key since the load began. */
  isOvertaken: boolean;
}

export interface AuthorityCacheOptions<V> {
  /** Reads the owner, or returns a state known from elsewhere as `EarlierState`. A rejection is not remembered. */
  load: (key: string) => Promise<V | null | EarlierState<V>>;
  /** Whether a change has named the entry by its viewer or content after the step. Optional. Default: no change can name it this way. */
  isNamed?: (named: NamedSelectors, key: string, value: V | null, step: number) => boolean;
  /** Memory limit for all entries, present and absent together, in bytes. */
  maxBytes: number;
  /** Estimated bytes of a value. The cache adds the key and the entry itself; an absent value takes nothing. */
  bytesOf: (value: V) => number;
  /** Makes an entry that stores the value in fields of its own. Optional. Default: the entry refers to the value. */
  keep?: (value: V, facts: ReadFacts) => KeptState<V>;
  feed: FeedPosition;
  /**
   * Values that may begin to hold, or no longer hold, without a change in the feed. An entry of them is used until it has this age, and
   * then read again. Left out where the feed names every change.
   */
  outsideFeed?: { includes: (value: V | null) => boolean; maxAgeMs: number };
  clock: Clock;
  onLookup?: (hit: boolean) => void;
  /** Number of viewers, contents and pairs whose naming is remembered. */
  namedSelectors?: number;
}

/** Bytes of an entry without its key, value and times: its slot in the map, and the 6 fields of a `KeptValue`. */
const entryBytes = slotBytes + objectBytes(6);
/** A minute of revocations at over a hundred a second; 20,000 names take some 3 MB. */
const usualNamedSelectors = 20_000;
/**
 * Maximum number of running loads. Where an owner does not answer, each request waits up to its time limit and holds a
 * few kilobytes meanwhile.
 */
const loadsAtMost = 10_000;

/**
 * States of authority (leases, marks, API keys, contents), invalidated by the change feed. An entry is valid while two
 * things hold: the feed was followed up to a recent enough instant, and no change has named the entry. A hit never
 * extends a time to live, and a stale state is never served while it is read again.
 */
export class AuthorityCache<V> {
  readonly #options: AuthorityCacheOptions<V>;
  readonly #entries: LRUCache<string, KeptState<V>>;
  readonly #named: NamedSelectors;
  /** For each key, the load that callers share. */
  readonly #shared = new Map<string, { pending: PendingLoad; done: Promise<void> }>();
  /** All running loads for each key, including the loads that later callers must not share. */
  readonly #open = new Map<string, PendingLoad[]>();
  #clearedAtStep = 0;
  /** Counts changes that named a selector, and loads that were kept. */
  #step = 0;
  #loadsBegun = 0;
  /**
   * The wall-clock time at which the monotonic clock was 0, as both were at the start. Setting the wall clock
   * moves `readAfterMs` by the same amount.
   */
  readonly #originMs: number;

  constructor(options: AuthorityCacheOptions<V>) {
    this.#options = options;
    this.#named = new NamedSelectors(options.namedSelectors ?? usualNamedSelectors);
    this.#entries = new LRUCache({ maxSize: options.maxBytes });
    this.#originMs = Math.floor(options.clock.now() - options.clock.monotonic());
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Estimated bytes of all entries. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get loadsBegun(): number {
    return this.#loadsBegun;
  }

  /** The state if it is known now, without a call. Undefined if it has to be loaded. */
  peek(key: string): KnownState<V> | undefined {
    const known = this.glance(key);
    this.#options.onLookup?.(known !== undefined);
    return known;
  }

  /** Same as `peek`, but not counted: for a caller that leaves the decision to another one unless everything is known. */
  glance(key: string): KnownState<V> | undefined {
    const known = this.#entries.get(key);
    const usable =
      known !== undefined &&
      this.#isUnnamed(key, known) &&
      this.#options.feed.vouchesFor(known.heldAtMs) &&
      !this.#isOutdated(known);
    return usable ? this.#toKnown(known) : undefined;
  }

  /** Whether the feed does not tell whether the state still holds. */
  #isOutdated({ value, heldAtMs }: KeptState<V>): boolean {
    const { outsideFeed, clock } = this.#options;
    return outsideFeed?.includes(value) === true && clock.monotonic() - heldAtMs > outsideFeed.maxAgeMs;
  }

  #toKnown({ value, loadNumber, heldAtMs, readAfterMs }: KeptState<V>): KnownState<V> {
    const readAtMs = readAfterMs === null ? null : this.#originMs + heldAtMs + readAfterMs;
    return { value, loadNumber, heldAtMs, readAtMs };
  }

  /** Usually one comparison: an entry is judged once after each change that names a selector. */
  #isUnnamed(key: string, entry: KeptState<V>): boolean {
    if (entry.judgedAtStep >= this.#named.latestStep) return true;
    if (this.#options.isNamed?.(this.#named, key, entry.value, entry.judgedAtStep)) {
      this.#entries.delete(key);
      return false;
    }
    entry.judgedAtStep = this.#step;
    return true;
  }

  /**
   * Loads the key, or waits for a running load. Afterwards the state is known, unless a change overtook the load. Then
   * `peek` still returns undefined, and the caller tries again.
   *
   * @throws AppError DEPENDENCY_UNAVAILABLE where too many loads are under way
   */
  async load(key: string): Promise<void> {
    const shared = this.#shared.get(key);
    if (shared) return shared.done;
    if (this.#open.size >= loadsAtMost) {
      const cause = new Error(`${loadsAtMost} states are being read at once`);
      throw new AppError('DEPENDENCY_UNAVAILABLE', { cause });
    }
    const pending = this.begin(key);
    const done = this.#run(pending);
    this.#shared.set(key, { pending, done });
    return done;
  }

  async #run(pending: PendingLoad): Promise<void> {
    try {
      this.settle(pending, await this.#options.load(pending.key));
    } catch (error) {
      this.abandon(pending);
      throw error;
    }
  }

  /** Notes that a read of the owner begins now. */
  begin(key: string): PendingLoad {
    const { clock } = this.#options;
    const pending: PendingLoad = {
      key,
      loadNumber: ++this.#loadsBegun,
      // Rounded: a whole number takes no object of its own, and treating a state as older is safe.
      beganAtMs: Math.floor(clock.monotonic()),
      beganAt: clock.now(),
      step: this.#step,
      isOvertaken: false,
    };
    const open = this.#open.get(key);
    if (open) open.push(pending);
    else this.#open.set(key, [pending]);
    return pending;
  }

  /**
   * Keeps what a load brought, unless a change has named the key since the load began: the read may be older than the
   * change. The result is also discarded where another load of the key was kept meanwhile, because it is not known which
   * of the two read later.
   *
   * @returns whether it was kept
   */
  settle(pending: PendingLoad, loaded: V | null | EarlierState<V>): boolean {
    const isHeld = loaded instanceof EarlierState;
    const value = isHeld ? loaded.value : loaded;
    const heldAtMs = isHeld ? Math.floor(loaded.heldAtMs) : pending.beganAtMs;
    const readAfterMs = isHeld ? null : pending.beganAt - heldAtMs - this.#originMs;
    this.abandon(pending);
    const present = this.#entries.get(pending.key);
    if (this.#isOvertaken(pending, value) || (present && present.keptAtStep > pending.step)) return false;
    const step = ++this.#step;
    const key = copyText(pending.key);
    const { keep, bytesOf } = this.#options;
    const timeBytes = numberBytes(heldAtMs) + numberBytes(readAfterMs);
    const size = entryBytes + textBytes(key) + timeBytes + (value === null ? 0 : bytesOf(value));
    const facts = { loadNumber: pending.loadNumber, heldAtMs, readAfterMs, step };
    const entry = value === null || !keep ? new KeptValue(value, facts) : keep(value, facts);
    this.#entries.set(key, entry, { size });
    return true;
  }

  #isOvertaken({ key, step, isOvertaken }: PendingLoad, value: V | null): boolean {
    if (isOvertaken || this.#clearedAtStep > step) return true;
    return this.#options.isNamed?.(this.#named, key, value, step) ?? false;
  }

  /** Ends a load without a result. */
  abandon(pending: PendingLoad): void {
    const others = this.#open.get(pending.key)?.filter((other) => other !== pending) ?? [];
    if (others.length > 0) this.#open.set(pending.key, others);
    else this.#open.delete(pending.key);
    if (this.#shared.get(pending.key)?.pending === pending) this.#shared.delete(pending.key);
  }

  /** A change named this key: drops its entry, and discards the result of any running load of it. */
  invalidate(key: string): void {
    this.#entries.delete(key);
    for (const pending of this.#open.get(key) ?? []) pending.isOvertaken = true;
    // Later callers must not share a load that may have read before the change.
    this.#shared.delete(key);
  }

  /**
   * A change named a viewer, a content, or the pair: drops the entries that it covers, and discards the results of their
   * running loads. The cost does not depend on their number, because each entry is judged when it is next used.
   */
  invalidateSelector(viewerId: string | null, contentId: string | null): void {
    this.#named.name(viewerId, contentId, ++this.#step);
  }

  /** Drops every entry, for when changes may have been missed. */
  clear(): void {
    this.#clearedAtStep = ++this.#step;
    this.#entries.clear();
    this.#shared.clear();
  }
}
