import {
  type CacheTag,
  EarlierState,
  type LeaseSource,
  leaseTags,
  markKey,
  markTags,
  splitMarkKey,
} from '../authority/index.ts';
import type { Clock } from '../clock/clock.ts';
import {
  createRecordReader,
  type LeaseState,
  LeaseStateSchema,
  type MarkState,
  MarkStateSchema,
  nullable,
} from '../contracts/index.ts';
import type { RecentChanges } from './recent-changes.ts';
import type { StateKind, StateStore, StoredState } from './state-store.ts';

/** The owner's answer. */
interface OwnerAnswer<V> {
  value: V | null;
  /**
   * The answer includes every change up to this number of the feed. The owner takes the feed's head first and reads the
   * state afterwards.
   */
  asOf: number;
}

interface SharedStateReaderOptions<V> {
  kind: StateKind;
  states: StateStore;
  /** Calls the owner. */
  read: (key: string) => Promise<OwnerAnswer<V>>;
  recent: RecentChanges;
  follower: { readonly limitMs: number; seenUpToMs(): number | null };
  /** @returns undefined for a value that is not a state */
  parse: (value: unknown) => V | null | undefined;
  /** Every tag by which a change may name the state. */
  namesOf: (key: string, value: V | null) => readonly CacheTag[];
  /** How long it may be shared from now on, in milliseconds. At 0 or less it is neither shared nor trusted. */
  ttlMs: (value: V | null, now: number) => number;
  clock: Clock;
}

/**
 * How recently the feed must have been followed for trusting a shared entry, as a share of the limit. Half, which is 2.5
 * s of the usual 5 s: the decision comes after this check, and the feed is usually pulled each second.
 */
const believablePart = 0.5;
/**
 * Reads that are remembered until the feed was followed beyond them: some seconds of a busy replica, some 3 MB. When
 * there are more, the owner is read instead of a shared entry until the feed was followed further.
 */
const readsRemembered = 20_000;

/** Reads states: shared ones where they are known to hold, else from the owner, whose answer is then shared. */
export class SharedStateReader<V> {
  readonly #options: SharedStateReaderOptions<V>;
  /** When each key was last read, monotonic milliseconds, oldest first. */
  readonly #readAtMs = new Map<string, number>();
  /** Reads up to this instant were dropped. */
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

  /** @returns null where the entry is not known to hold */
  believe(key: string, entry: StoredState | null): EarlierState<V> | null {
    const { recent, follower, parse, namesOf, ttlMs, clock } = this.#options;
    const value = entry ? parse(entry.value) : undefined;
    if (!entry || value === undefined || ttlMs(value, clock.now()) <= 0) return null;
    // The entry is as current as the feed: it held at the instant up to which the feed was followed, not at this one.
    const heldAtMs = follower.seenUpToMs();
    if (heldAtMs === null || clock.monotonic() - heldAtMs > follower.limitMs * believablePart) return null;
    // A state that was read here since then may be newer, and an older one must not follow it.
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

/** The lease service as other services see it. Its answers carry the number of the change feed at which they are true. */
export interface OwnerLeaseReader {
  /** Same as `LeaseReader.findLease`. */
  findLease(leaseId: string): Promise<OwnerAnswer<LeaseState>>;
  /** Same as `LeaseReader.findMark`. */
  findMark(viewerId: string, contentId: string): Promise<OwnerAnswer<MarkState>>;
}

/** Leases and marks that several replicas share. */
export interface SharedLeases {
  owner: OwnerLeaseReader;
  states: StateStore;
  /** The record that the follower of the change feed fills. */
  recent: RecentChanges;
}

/**
 * How long a mark, or its absence, stays shared. It only limits the memory of unused entries: 10 minutes of viewers.
 */
const markLifeMs = 600_000;

const readLease = createRecordReader(LeaseStateSchema);
const readMark = createRecordReader(nullable(MarkStateSchema));

/**
 * The leases and marks of several replicas: from the shared states where they are known to hold, else from the lease
 * service.
 */
export function createSharedLeaseSource(
  ...options: Parameters<typeof createSharedLeaseReaders>
): LeaseSource {
  const { lease, mark } = createSharedLeaseReaders(...options);
  return {
    findLease: (leaseId) => lease.load(leaseId),
    findMark: (viewerId, contentId) => mark.load(markKey(viewerId, contentId)),
  };
}

/** Reads leases by their id and marks by `markKey`. */
export function createSharedLeaseReaders(
  { owner, states, recent }: SharedLeases,
  follower: { readonly limitMs: number; seenUpToMs(): number | null },
  clock: Clock,
): { lease: SharedStateReader<LeaseState>; mark: SharedStateReader<MarkState> } {
  const common = { states, recent, follower, clock };
  return {
    lease: new SharedStateReader({
      ...common,
      kind: 'lease',
      read: (leaseId) => owner.findLease(leaseId),
      parse: readLease,
      namesOf: (leaseId, lease) => leaseTags(leaseId, lease).map((tag) => ({ cache: 'leases', tag })),
      ttlMs: leaseLifeMs,
    }),
    mark: new SharedStateReader({
      ...common,
      kind: 'mark',
      read: (key) => owner.findMark(...splitMarkKey(key)),
      parse: readMark,
      namesOf: (key) => markTags(key).map((tag) => ({ cache: 'marks', tag })),
      ttlMs: () => markLifeMs,
    }),
  };
}

/**
 * How long the state of a lease is worth sharing. Creations and renewals are not in the change feed. Only the owner
 * knows that a lease does not exist, or whether one that looks expired has been renewed. A revoked lease stays revoked and
 * is kept as long as requests for it are likely.
 */
export function leaseLifeMs(lease: LeaseState | null, now: number): number {
  if (!lease) return 0;
  return (lease.revokedAt === null ? lease.expiresAt : lease.renewableUntil) - now;
}
