import type { Clock } from '../clock/index.ts';
import type { FeedPosition } from '../events/feed-position.ts';
import { BoundedMap } from './bounded-map.ts';
import { TagIndex } from './tag-index.ts';

/** A state that a load did not read itself: it was known already, and is known to have held at an earlier instant. */
export class Held<V> {
  readonly value: V | null;
  /** Monotonic milliseconds. */
  readonly heldAtMs: number;

  constructor(value: V | null, heldAtMs: number) {
    this.value = value;
    this.heldAtMs = heldAtMs;
  }
}

/** What is known of a key: a value, or that there is none. */
export interface Known<V> {
  readonly value: V | null;
  /** Rises with each load. A caller that needs a state read after its own start compares it with `loadsBegun`. */
  readonly loadNumber: number;
  /** Monotonic milliseconds: the state held then or later. Where the load read the owner, it is when the load began. */
  readonly heldAtMs: number;
  /** Wall clock, milliseconds since 1970, when the load began; null where the load did not read the owner itself. */
  readonly readAtMs: number | null;
}

interface Entry<V> extends Known<V> {
  /** When it was kept, in the cache's own steps. */
  readonly keptAtStep: number;
}

/** A load under way. */
export interface Flight {
  readonly key: string;
  readonly loadNumber: number;
  readonly beganAtMs: number;
  /** The same by the wall clock, milliseconds since 1970. */
  readonly beganAt: number;
  /** The cache's step when it began: what happens to the key in a later one may not be in what it reads. */
  readonly step: number;
}

export interface AuthorityCacheOptions<V> {
  /** Reads the owner, or gives what is known otherwise as `Held`. A rejection is not remembered. */
  load: (key: string) => Promise<V | null | Held<V>>;
  /** Everything a change may call this entry by. It has to be the same for the whole life of the key. */
  tagsOf: (key: string, value: V | null) => readonly string[];
  /** Entries kept, present and absent together. */
  capacity: number;
  feed: FeedPosition;
  clock: Clock;
  onLookup?: (hit: boolean) => void;
}

/**
 * States of authority (leases, marks, API keys, contents), kept true by the change feed: an entry holds while the feed
 * is known to have been followed up to an instant that is recent enough, and no change has named it. There is no time to
 * live that a hit extends, and nothing stale is ever given while it is read again.
 */
export class AuthorityCache<V> {
  readonly #options: AuthorityCacheOptions<V>;
  readonly #entries: BoundedMap<Entry<V>>;
  readonly #tags = new TagIndex();
  readonly #flights = new Map<string, { flight: Flight; done: Promise<void> }>();
  readonly #open = new Set<Flight>();
  /** When each tag was last named. Kept only while loads are under way: nothing else asks. */
  readonly #namedAtStep = new Map<string, number>();
  #clearedAtStep = 0;
  /** Counts invalidations and kept loads. */
  #step = 0;
  #loadsBegun = 0;

  constructor(options: AuthorityCacheOptions<V>) {
    this.#options = options;
    this.#entries = new BoundedMap(options.capacity, (key, known) =>
      this.#tags.remove(key, options.tagsOf(key, known.value)),
    );
  }

  get size(): number {
    return this.#entries.size;
  }

  get loadsBegun(): number {
    return this.#loadsBegun;
  }

  /** What is known now, without asking anyone. Undefined: it has to be loaded. */
  peek(key: string): Known<V> | undefined {
    const known = this.#entries.get(key);
    const usable = known !== undefined && this.#options.feed.vouchesFor(known.heldAtMs);
    this.#options.onLookup?.(usable);
    return usable ? known : undefined;
  }

  /**
   * Loads the key, or waits for a load that is under way. Afterwards the state is known, unless a change overtook the
   * load: then `peek` still says undefined, and the caller comes again.
   */
  async load(key: string): Promise<void> {
    const shared = this.#flights.get(key);
    if (shared) return shared.done;
    const flight = this.begin(key);
    const done = this.#run(flight);
    this.#flights.set(key, { flight, done });
    return done;
  }

  async #run(flight: Flight): Promise<void> {
    try {
      this.settle(flight, await this.#options.load(flight.key));
    } catch (error) {
      this.abandon(flight);
      throw error;
    }
  }

  /** Notes that a read of the owner begins now. */
  begin(key: string): Flight {
    const flight: Flight = {
      key,
      loadNumber: ++this.#loadsBegun,
      beganAtMs: this.#options.clock.monotonic(),
      beganAt: this.#options.clock.now(),
      step: this.#step,
    };
    this.#open.add(flight);
    return flight;
  }

  /**
   * Keeps what a load brought, unless a change has named it since the load began: the read may be from before the change.
   * Nor is it kept where another load of the key has been since: nobody knows which of the two read later.
   *
   * @returns whether it was kept
   */
  settle(flight: Flight, loaded: V | null | Held<V>): boolean {
    const { value, heldAtMs, readAtMs } =
      loaded instanceof Held
        ? { ...loaded, readAtMs: null }
        : { value: loaded, heldAtMs: flight.beganAtMs, readAtMs: flight.beganAt };
    const tags = this.#options.tagsOf(flight.key, value);
    const overtaken =
      this.#clearedAtStep > flight.step || tags.some((tag) => this.#namedSince(tag, flight.step));
    this.abandon(flight);
    const present = this.#entries.get(flight.key);
    if (overtaken || (present && present.keptAtStep > flight.step)) return false;
    this.#entries.set(flight.key, {
      value,
      loadNumber: flight.loadNumber,
      heldAtMs,
      readAtMs,
      keptAtStep: ++this.#step,
    });
    this.#tags.add(flight.key, tags);
    return true;
  }

  /** Ends a load that brought nothing. */
  abandon(flight: Flight): void {
    this.#open.delete(flight);
    if (this.#flights.get(flight.key)?.flight === flight) this.#flights.delete(flight.key);
    if (this.#open.size === 0) this.#namedAtStep.clear();
  }

  #namedSince(tag: string, step: number): boolean {
    return (this.#namedAtStep.get(tag) ?? 0) > step;
  }

  /** A change named this tag: what goes by it is forgotten, and a load of it that is under way will not be kept. */
  invalidate(tag: string): void {
    this.#step++;
    if (this.#open.size > 0) this.#namedAtStep.set(tag, this.#step);
    for (const key of [...this.#tags.keysOf(tag)]) this.#entries.delete(key);
    // Whoever asks from now on shall not wait for a read that may be from before.
    this.#flights.delete(tag);
  }

  /** Forgets everything, for when changes may have been missed. */
  clear(): void {
    this.#clearedAtStep = ++this.#step;
    this.#entries.clear();
    this.#tags.clear();
    this.#flights.clear();
  }
}
