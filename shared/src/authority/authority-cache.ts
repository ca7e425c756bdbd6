import type { Clock } from '../clock/index.ts';
import { AppError } from '../errors/index.ts';
import type { FeedPosition } from '../events/feed-position.ts';
import {
  copyText,
  mapSlotBytes,
  numberBytes,
  objectBytes,
  type RecencyEntry,
  RecencyMap,
  textBytes,
} from '../memory/index.ts';
import { NamedSelectors } from './named-selectors.ts';

/** A state that a load did not read itself: it was known already, and is known to have held at an earlier instant. */
export class EarlierState<V> {
  readonly value: V | null;
  /** Monotonic milliseconds. */
  readonly heldAtMs: number;

  constructor(value: V | null, heldAtMs: number) {
    this.value = value;
    this.heldAtMs = heldAtMs;
  }
}

/** What is known of a key: a value, or that there is none. */
export interface KnownState<V> {
  readonly value: V | null;
  /** Rises with each load. A caller that needs a state read after its own start compares it with `loadsBegun`. */
  readonly loadNumber: number;
  /** Monotonic milliseconds: the state held then or later. Where the load read the owner, it is when the load began. */
  readonly heldAtMs: number;
  /** Wall clock, milliseconds since 1970, when the load began; null where the load did not read the owner itself. */
  readonly readAtMs: number | null;
}

/** What is kept: as few objects and fractions as it can be, because there is one for each viewer. */
interface Entry<V> extends RecencyEntry {
  readonly value: V | null;
  readonly loadNumber: number;
  readonly heldAtMs: number;
  /**
   * `readAtMs` beyond `heldAtMs` and the cache's origin: a number that stays small, which V8 keeps without an object of its own.
   * Null as `readAtMs`.
   */
  readonly readAfterMs: number | null;
  /** When it was kept, in the cache's own steps. */
  readonly keptAtStep: number;
  /** Up to this step no selector has named it. */
  judgedAtStep: number;
}

/** A load under way. */
export interface PendingLoad {
  readonly key: string;
  readonly loadNumber: number;
  readonly beganAtMs: number;
  /** The same by the wall clock, milliseconds since 1970. */
  readonly beganAt: number;
  /** The cache's step when it began: what a selector names in a later one may not be in what it reads. */
  readonly step: number;
  /** Whether a change has named its key since it began. */
  isOvertaken: boolean;
}

export interface AuthorityCacheOptions<V> {
  /** Reads the owner, or gives what is known otherwise as `EarlierState`. A rejection is not remembered. */
  load: (key: string) => Promise<V | null | EarlierState<V>>;
  /** Whether a change has named the entry by its viewer or its content after the step. Left out where none does. */
  isNamed?: (named: NamedSelectors, key: string, value: V | null, step: number) => boolean;
  /** What the entries may take in memory, present and absent together. */
  maxBytes: number;
  /** An estimate of what a value takes. The key and the entry are counted by the cache, and nothing for a value that is absent. */
  bytesOf: (value: V) => number;
  feed: FeedPosition;
  clock: Clock;
  onLookup?: (hit: boolean) => void;
  /** Viewers, contents and pairs that are remembered to have been named. */
  namedSelectors?: number;
}

/** An entry without its key, its value and its times: its slot in the map, and 8 fields. */
const entryBytes = mapSlotBytes + objectBytes(8);
/** A minute of revocations at more than a hundred a second; 20,000 take some 3 MB. */
const usualNamedSelectors = 20_000;
/**
 * Loads under way at once. An owner that does not answer costs a request up to its time limit, and each of them keeps a
 * few kilobytes meanwhile.
 */
const loadsAtMost = 10_000;

/**
 * States of authority (leases, marks, API keys, contents), kept true by the change feed: an entry holds while the feed
 * is known to have been followed up to an instant that is recent enough, and no change has named it. There is no time to
 * live that a hit extends, and nothing stale is ever given while it is read again.
 */
export class AuthorityCache<V> {
  readonly #options: AuthorityCacheOptions<V>;
  readonly #entries: RecencyMap<Entry<V>>;
  readonly #named: NamedSelectors;
  /** The load that callers share, for each key. */
  readonly #shared = new Map<string, { pending: PendingLoad; done: Promise<void> }>();
  /** All loads under way, for each key: also those that later callers must not share. */
  readonly #open = new Map<string, PendingLoad[]>();
  #clearedAtStep = 0;
  /** Counts changes that named a selector, and kept loads. */
  #step = 0;
  #loadsBegun = 0;
  /** The wall clock where the monotonic one is 0, as both were at the start. Where a clock is set, `readAfterMs` grows by that. */
  readonly #originMs: number;

  constructor(options: AuthorityCacheOptions<V>) {
    this.#options = options;
    this.#named = new NamedSelectors(options.namedSelectors ?? usualNamedSelectors);
    this.#entries = new RecencyMap(options.maxBytes, options.clock);
    this.#originMs = Math.floor(options.clock.now() - options.clock.monotonic());
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What the entries take in memory, as it is estimated. */
  get bytes(): number {
    return this.#entries.bytes;
  }

  get loadsBegun(): number {
    return this.#loadsBegun;
  }

  /** What is known now, without asking anyone. Undefined: it has to be loaded. */
  peek(key: string): KnownState<V> | undefined {
    const known = this.#entries.get(key);
    const usable =
      known !== undefined && this.#isUnnamed(key, known) && this.#options.feed.vouchesFor(known.heldAtMs);
    this.#options.onLookup?.(usable);
    return usable ? this.#toKnown(known) : undefined;
  }

  #toKnown({ value, loadNumber, heldAtMs, readAfterMs }: Entry<V>): KnownState<V> {
    const readAtMs = readAfterMs === null ? null : this.#originMs + heldAtMs + readAfterMs;
    return { value, loadNumber, heldAtMs, readAtMs };
  }

  /** Usually one comparison: an entry is judged once after each change that names a selector. */
  #isUnnamed(key: string, entry: Entry<V>): boolean {
    if (entry.judgedAtStep >= this.#named.latestStep) return true;
    if (this.#options.isNamed?.(this.#named, key, entry.value, entry.judgedAtStep)) {
      this.#entries.delete(key);
      return false;
    }
    entry.judgedAtStep = this.#step;
    return true;
  }

  /**
   * Loads the key, or waits for a load that is under way. Afterwards the state is known, unless a change overtook the
   * load: then `peek` still says undefined, and the caller comes again.
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
      // A whole number takes no object of its own, and a state that counts as older is no danger.
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
   * Keeps what a load brought, unless a change has named it since the load began: the read may be from before the change.
   * Nor is it kept where another load of the key has been since: nobody knows which of the two read later.
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
    this.#entries.set(key, {
      review: 0,
      bytes:
        entryBytes +
        textBytes(key) +
        numberBytes(heldAtMs) +
        numberBytes(readAfterMs) +
        (value === null ? 0 : this.#options.bytesOf(value)),
      value,
      loadNumber: pending.loadNumber,
      heldAtMs,
      readAfterMs,
      keptAtStep: step,
      judgedAtStep: step,
    });
    return true;
  }

  #isOvertaken({ key, step, isOvertaken }: PendingLoad, value: V | null): boolean {
    if (isOvertaken || this.#clearedAtStep > step) return true;
    return this.#options.isNamed?.(this.#named, key, value, step) ?? false;
  }

  /** Ends a load that brought nothing. */
  abandon(pending: PendingLoad): void {
    const others = this.#open.get(pending.key)?.filter((other) => other !== pending) ?? [];
    if (others.length > 0) this.#open.set(pending.key, others);
    else this.#open.delete(pending.key);
    if (this.#shared.get(pending.key)?.pending === pending) this.#shared.delete(pending.key);
  }

  /** A change named this key: drops its entry, and discards the result of any load of it that is under way. */
  invalidate(key: string): void {
    this.#entries.delete(key);
    for (const pending of this.#open.get(key) ?? []) pending.isOvertaken = true;
    // Later callers must not share a load that may have read before the change.
    this.#shared.delete(key);
  }

  /**
   * A change named a viewer, a content, or the pair of both: drops what is known of it, and discards the result of any load
   * of it that is under way. It takes the same time however much that is: entries are judged when they are asked for.
   */
  invalidateSelector(viewerId: string | null, contentId: string | null): void {
    this.#named.name(viewerId, contentId, ++this.#step);
  }

  /** Forgets everything, for when changes may have been missed. */
  clear(): void {
    this.#clearedAtStep = ++this.#step;
    this.#entries.clear();
    this.#shared.clear();
  }
}
