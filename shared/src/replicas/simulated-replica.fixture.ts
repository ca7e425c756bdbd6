import {
  type Authority,
  type AuthorityCache,
  createAuthority,
  EarlierState,
  type KnownState,
  mayHaveBeenRenewed,
  type PendingLoad,
} from '../authority/index.ts';
import type { Clock } from '../clock/clock.ts';
import type { LeaseState } from '../contracts/index.ts';
import {
  type AwaitedPlace,
  type BusMessage,
  type Change,
  createFeedProgress,
  type FeedPage,
  type FeedProgress,
  type FeedReading,
  type Notice,
} from '../events/index.ts';
import type { SharedStateReader } from './lease-source.ts';
import { RecentChanges } from './recent-changes.ts';
import { type Committed, type Item, items, type SimulatedOwner } from './simulated-owner.fixture.ts';
import { createReaders, type SimulatedStates, unasked } from './simulated-states.fixture.ts';
import { type Confirmation, SimulatedWaits } from './simulated-waits.fixture.ts';
import type { StoredState } from './state-store.ts';

/** Small, so that a read often takes several pages. */
const pageSize = 2;
/** Small, so that shared entries are often older than the record. */
const recordedChanges = 3;
/** Small, so that names are often dropped. */
const namedSelectors = 2;

interface Pull {
  reading: FeedReading;
  /** How far this process had applied the feed when it asked. */
  report: AwaitedPlace | null;
  /** Only the first read asks for it by itself. */
  head: number | null;
  page: FeedPage | null;
}

interface Load {
  item: number;
  pending: PendingLoad;
  /** The shared cache's entry; undefined until it was looked up. */
  entry: StoredState | null | undefined;
  /** The feed's head before the owner was read; null until then. */
  asOf: number | null;
  /** Undefined until it is known. */
  value: unknown;
}

/** A key request that names a lease and waits for its state. */
interface LeaseRequest {
  /** `loadsBegun` when it came. */
  readonly loadsAtStart: number;
  /** When the lease ended, according to the commits at the time of the request. */
  readonly livesUntil: number;
}

/** One process: the real caches and the real follower of the feed. Every wait is a step of the simulation. */
export class SimulatedReplica {
  readonly authority: Authority;
  /** For each item, the cache that keeps it. */
  readonly caches: readonly AuthorityCache<unknown>[];
  readonly name: string;
  readonly inbox: (Committed | { renewed: string } | { awaited: AwaitedPlace } | Confirmation)[] = [];
  readonly waiting: SimulatedWaits;
  readonly #clock: Clock;
  readonly loads: Load[] = [];
  /** For each lease, the open request. */
  readonly requests: (LeaseRequest | null)[] = [];
  /** The lowest version that may be served since a revocation was answered here. */
  readonly answered: number[] = items.map(() => 0);
  /** The lowest version that may be served since a change was received, by push or by pull. */
  readonly received: number[] = items.map(() => 0);
  /** The highest version that was served. */
  readonly shown: number[] = items.map(() => 0);
  /** How often every state was dropped while the feed was followed. */
  gaps = 0;
  /** How often a shared entry was trusted, and how often not. */
  believed = 0;
  disbelieved = 0;
  readonly recent = new RecentChanges(recordedChanges);
  readonly #owner: SimulatedOwner;
  readonly #states: SimulatedStates | null;
  /** For each item, what reads it through the shared cache. */
  readonly #readers: readonly (SharedStateReader<unknown> | null)[];
  readonly #progress: FeedProgress;
  #onMessage: (message: BusMessage) => void = () => {};
  #pull: Pull | null = null;

  constructor(name: string, owner: SimulatedOwner, clock: Clock, states: SimulatedStates | null) {
    this.name = name;
    this.#clock = clock;
    this.#owner = owner;
    this.#states = states;
    let listener: (change: Change | null) => void = () => {};
    const deliver = (change: Change | null) => {
      if (change === null) {
        if (this.#pull?.reading.after !== null) this.gaps++;
        this.waiting.beUnsure();
      }
      listener(change);
    };
    this.#progress = createFeedProgress(clock, deliver, this.recent);
    this.waiting = new SimulatedWaits(name, owner, clock, this.#progress);
    this.authority = createAuthority({
      apiKeys: { findApiKey: unasked, noteUse: () => {} },
      contents: { findContent: unasked },
      leases: { findLease: unasked, findMark: unasked },
      follower: {
        vouchesFor: this.#progress.vouchesFor,
        limitMs: this.#progress.limitMs,
        ageMs: this.#progress.ageMs,
        seenUpToMs: this.#progress.seenUpToMs,
        place: this.#progress.place,
        onChange: (given) => {
          listener = given;
        },
        pull: unasked,
        stop: () => {},
      },
      bus: {
        publish: () => {},
        subscribe: (given) => {
          this.#onMessage = given;
          return () => {};
        },
        state: () => 'up',
      },
      clock,
      namedSelectors,
    });
    this.#readers = createReaders(states, this.recent, this.#progress, clock);
    this.caches = items.map(({ source }) => this.authority[source] as AuthorityCache<unknown>);
  }

  /** The ledger's publishing and the answer, which follow each other without a wait. */
  answer(committed: Committed): void {
    const { number, at, change, link, versions } = committed;
    this.#progress.receive(number, at, change, link);
    // A state that a failover lost holds again, or never holds. Its acknowledged end does not bring it back.
    if (this.#owner.isLost(committed)) return;
    for (const [item, version] of versions) {
      this.answered[item] = Math.max(this.answered[item] ?? 0, version);
    }
  }

  /**
   * Receives one of the messages in transit.
   *
   * @param send what it answers, if anything
   */
  deliver(index: number, again: boolean, send: (confirmation: Confirmation) => void): void {
    const message = this.inbox[index];
    if (!message) return;
    if (!again) this.inbox.splice(index, 1);
    if ('awaited' in message) this.waiting.confirm(message.awaited, send);
    else if ('confirmedBy' in message) this.waiting.open.confirm(message.confirmedBy, message.place);
    else if ('renewed' in message) {
      const notice: Notice = { topic: 'lease', event: 'renewed', data: {} };
      this.#onMessage({ type: 'renewal', leaseId: message.renewed, notice });
    } else {
      this.#progress.receive(message.number, message.at, message.change, message.link);
      this.#noteReceived(message.versions);
    }
  }

  #noteReceived(versions: Committed['versions']): void {
    for (const [item, version] of versions) this.received[item] = Math.max(this.received[item] ?? 0, version);
  }

  /** The next step of a pull: it begins, the page is read (the first time after the head alone), it is applied. */
  stepPull(): void {
    const pull = this.#pull;
    if (!pull) this.#beginPull();
    else if (pull.reading.after === null && pull.head === null) pull.head = this.#owner.head();
    else if (!pull.page) this.#readPage(pull);
    else if (pull.reading.after === null) {
      this.#progress.start(pull.reading, pull.page.head, pull.page.changes, pull.page.history);
      this.#pull = null;
    } else {
      const done = this.#progress.apply(pull.reading, pull.page);
      for (const { number } of pull.page.changes) this.#noteReceived(this.#owner.versionsOf(number));
      this.#pull = null;
      if (!done) this.#beginPull();
    }
  }

  #beginPull(): void {
    const report = this.#progress.place();
    this.#pull = { reading: this.#progress.begin(), report, head: null, page: null };
  }

  #readPage(pull: Pull): void {
    const { reading, head, report } = pull;
    this.#owner.roster.admit(this.name, report, this.#clock.monotonic());
    if (reading.after !== null) pull.page = this.#owner.since(reading.after, pageSize);
    // Some begin with the latest changes, some with only the last one.
    else if (head !== null) pull.page = this.#owner.since(Math.max(0, head - (head % 2 === 0 ? 3 : 1)), 3);
  }

  failPull(): void {
    this.#pull = null;
  }

  /** A key request arrives that names this lease. */
  ask(lease: number): void {
    const { loadsBegun } = this.caches[lease] as AuthorityCache<unknown>;
    this.requests[lease] = { loadsAtStart: loadsBegun, livesUntil: this.#owner.leaseExpiresAt[lease] ?? 0 };
  }

  /**
   * Decides the open request for a lease as far as the currently known state allows.
   *
   * @param known the cached state of the lease
   * @param now by this replica's wall clock
   * @returns the request, if it is refused because the lease has expired; null if it is decided otherwise, or continues
   */
  refusesAsExpired(lease: number, known: KnownState<LeaseState>, now: number): LeaseRequest | null {
    const request = this.requests[lease];
    if (!request || !known.value) return null;
    const hasExpired = known.value.expiresAt <= now;
    if (hasExpired && mayHaveBeenRenewed(known, now, request.loadsAtStart)) return null;
    this.requests[lease] = null;
    return hasExpired ? request : null;
  }

  beginLoad(item: number): void {
    const pending = (this.caches[item] as AuthorityCache<unknown>).begin((items[item] as Item).key);
    this.loads.push({ item, pending, entry: undefined, asOf: null, value: undefined });
  }

  /** Whether the next step of the load ends it. */
  isLoaded(index: number): boolean {
    return this.loads[index]?.value !== undefined;
  }

  /**
   * The next step of a load: the shared cache is looked up, its answer is judged, the owner's head is read, its state is
   * read, the value is kept.
   *
   * @returns whether a kept value was refused
   */
  stepLoad(index: number, fails: boolean): boolean {
    const load = this.loads[index];
    if (!load) return false;
    if (!fails && load.value === undefined) {
      this.#advanceLoad(load);
      return false;
    }
    this.loads.splice(index, 1);
    const cache = this.caches[load.item] as AuthorityCache<unknown>;
    if (!fails) return !cache.settle(load.pending, load.value);
    cache.abandon(load.pending);
    return false;
  }

  #advanceLoad(load: Load): void {
    const { source, key } = items[load.item] as Item;
    const reader = this.#readers[load.item];
    if (!reader) load.value = this.#owner.read(load.item);
    else if (load.entry === undefined) {
      load.entry = this.#states?.find(source === 'leases' ? 'lease' : 'mark', key) ?? null;
    } else if (load.entry !== null) {
      load.value = reader.believe(key, load.entry) ?? undefined;
      if (load.value instanceof EarlierState) this.believed++;
      else this.disbelieved++;
      load.entry = null;
    } else if (load.asOf === null) load.asOf = this.#owner.head();
    else load.value = reader.share(key, { value: this.#owner.read(load.item), asOf: load.asOf });
  }
}
