import type { CacheTag } from '../authority/index.ts';
import { EarlierState } from '../authority/index.ts';
import type { Clock } from '../clock/index.ts';
import type { RecentChanges } from './recent-changes.ts';
import type { StateKind, StateStore, StoredState } from './state-store.ts';

/** The owner's answer. */
export interface OwnerAnswer<V> {
  value: V | null;
  /**
   * A number of the change feed that the answer holds everything up to. The owner takes the feed's head first and reads the
   * state afterwards.
   */
  asOf: number;
}

export interface SharedStateReaderOptions<V> {
  kind: StateKind;
  states: StateStore;
  /** Asks the owner. */
  read: (key: string) => Promise<OwnerAnswer<V>>;
  recent: RecentChanges;
  follower: { readonly limitMs: number; seenUpToMs(): number | null };
  /** @returns undefined for anything that is no state */
  parse: (value: unknown) => V | null | undefined;
  /** Everything by which a change may name the state. */
  namesOf: (key: string, value: V | null) => readonly CacheTag[];
  /** How long it may be shared from now on, in milliseconds; not at all from 0 down, and then it is not believed either. */
  ttlMs: (value: V | null, now: number) => number;
  clock: Clock;
}

/**
 * The feed has to have been followed this recently for its word on a shared entry, as a part of the limit. Half, which is
 * 2.5 s of the usual 5 s: the decision comes after the belief, and a pull a second is usual.
 */
const believablePart = 0.5;
/**
 * Reads remembered, until the feed was followed beyond them: some seconds of a busy replica, some 3 MB. Beyond them the
 * owner is read instead of a shared entry, until the feed has been followed further.
 */
const readsRemembered = 20_000;

/** Reads states: from what is shared where that is known to hold, else from the owner, whose answer is shared then. */
export class SharedStateReader<V> {
  readonly #options: SharedStateReaderOptions<V>;
  /** When each key was last read, monotonic milliseconds, oldest first. */
  readonly #readAtMs = new Map<string, number>();
  /** Reads up to here are forgotten. */
  #forgottenUpToMs = Number.NEGATIVE_INFINITY;

  constructor(options: SharedStateReaderOptions<V>) {
    this.#options = options;
  }

  /** Rejects as the owner does. */
  async load(key: string): Promise<V | null | EarlierState<V>> {
    const { kind, states, read } = this.#options;
    const held = this.believe(key, await states.get(kind, key));
    return held ?? this.share(key, await read(key));
  }

  /** @returns null where it is not known that the entry holds */
  believe(key: string, entry: StoredState | null): EarlierState<V> | null {
    const { recent, follower, parse, namesOf, ttlMs, clock } = this.#options;
    const value = entry ? parse(entry.value) : undefined;
    if (!entry || value === undefined || ttlMs(value, clock.now()) <= 0) return null;
    // The entry is as good as the feed: it held at the instant up to which that has been followed, not at this one.
    const heldAtMs = follower.seenUpToMs();
    if (heldAtMs === null || clock.monotonic() - heldAtMs > follower.limitMs * believablePart) return null;
    // What was read here since then may be newer, and nothing older shall follow it.
    if (heldAtMs <= Math.max(this.#forgottenUpToMs, this.#readAtMs.get(key) ?? Number.NEGATIVE_INFINITY))
      return null;
    if (!recent.confirms(entry.stamp, namesOf(key, value))) return null;
    this.#noteRead(key);
    return new EarlierState(value, heldAtMs);
  }

  /** Shares the owner's answer. */
  share(key: string, { value, asOf }: OwnerAnswer<V>): V | null {
    const { kind, states, recent, ttlMs, clock } = this.#options;
    this.#noteRead(key);
    const stamp = recent.stamp(asOf);
    const lifeMs = ttlMs(value, clock.now());
    if (stamp && lifeMs > 0) states.set(kind, key, value, stamp, lifeMs);
    return value;
  }

  #noteRead(key: string): void {
    const seenUpToMs = this.#options.follower.seenUpToMs() ?? Number.NEGATIVE_INFINITY;
    this.#readAtMs.delete(key);
    this.#readAtMs.set(key, this.#options.clock.monotonic());
    for (const [oldest, atMs] of this.#readAtMs) {
      if (atMs >= seenUpToMs) {
        if (this.#readAtMs.size <= readsRemembered) return;
        this.#forgottenUpToMs = atMs;
      }
      this.#readAtMs.delete(oldest);
    }
  }
}
