import type { Clock } from '../clock/index.ts';
import {
  type BusMessage,
  type Change,
  createFeedProgress,
  type FeedProgress,
  type FeedReading,
} from '../events/index.ts';
import { type Authority, createAuthority } from './authority.ts';
import type { AuthorityCache, Flight } from './authority-cache.ts';
import { type Committed, type Item, items, type SimulatedOwner } from './simulated-owner.fixture.ts';

/** Small, so that a reading often takes several pages. */
const pageSize = 2;

interface Pull {
  reading: FeedReading;
  head: number | null;
  rows: ReturnType<SimulatedOwner['rowsAfter']> | null;
}

interface Load {
  item: number;
  flight: Flight;
  /** Undefined until the owner was read. */
  value: unknown;
}

const unasked = () => Promise.reject(new Error('the simulation reads the owner itself'));

/** One process: the real caches and the real following of the feed, whose every wait is a step of the simulation. */
export class SimulatedReplica {
  /** For each item, the cache that keeps it. */
  readonly caches: readonly AuthorityCache<unknown>[];
  readonly inbox: (Committed | { renewed: string })[] = [];
  readonly loads: Load[] = [];
  /** The lowest version that may be given since a revocation was answered here. */
  readonly answered: number[] = items.map(() => 0);
  /** The highest version that was given. */
  readonly shown: number[] = items.map(() => 0);
  /** How often everything was forgotten in the midst of following. */
  gaps = 0;
  readonly #owner: SimulatedOwner;
  readonly #progress: FeedProgress;
  #onNotice: (message: BusMessage) => void = () => {};
  #pull: Pull | null = null;

  constructor(owner: SimulatedOwner, clock: Clock) {
    this.#owner = owner;
    let listener: (change: Change | null) => void = () => {};
    this.#progress = createFeedProgress(clock, (change) => {
      if (change === null && this.#pull?.reading.after !== null) this.gaps++;
      listener(change);
    });
    const authority: Authority = createAuthority({
      apiKeys: { findApiKey: unasked, noteUse: () => {} },
      contents: { findContent: unasked },
      leases: { findLease: unasked, findMark: unasked },
      follower: {
        vouchesFor: this.#progress.vouchesFor,
        ageMs: this.#progress.ageMs,
        onChange: (given) => {
          listener = given;
        },
        pull: unasked,
        stop: () => {},
      },
      bus: {
        publish: () => {},
        subscribe: (given) => {
          this.#onNotice = given;
          return () => {};
        },
        state: () => 'up',
      },
      clock,
    });
    this.caches = items.map(({ source }) => authority[source] as AuthorityCache<unknown>);
  }

  /** The ledger's publishing and the answer, which follow each other without a wait. */
  answer({ number, change, versions }: Committed): void {
    this.#progress.hear(number, change);
    for (const [item, version] of versions) {
      this.answered[item] = Math.max(this.answered[item] ?? 0, version);
    }
  }

  /** Hears one of the messages that are under way. */
  deliver(index: number, again: boolean): void {
    const message = this.inbox[index];
    if (!message) return;
    if (!again) this.inbox.splice(index, 1);
    if ('renewed' in message) {
      const data = { id: message.renewed };
      this.#onNotice({ type: 'notice', notice: { topic: 'lease', event: 'renewed', data } });
    } else this.#progress.hear(message.number, message.change);
  }

  /** The next step of a pull: it begins, the head is read, the rows are read, they are applied. */
  stepPull(): void {
    const pull = this.#pull;
    if (!pull) this.#pull = { reading: this.#progress.begin(), head: null, rows: null };
    else if (pull.head === null) pull.head = this.#owner.head();
    else if (pull.reading.after === null) {
      this.#progress.start(pull.reading, pull.head);
      this.#pull = null;
    } else if (!pull.rows) pull.rows = this.#owner.rowsAfter(pull.reading.after, pageSize);
    else {
      const done = this.#progress.apply(pull.reading, { head: pull.head, changes: pull.rows });
      this.#pull = done ? null : { reading: this.#progress.begin(), head: null, rows: null };
    }
  }

  failPull(): void {
    this.#pull = null;
  }

  beginLoad(item: number): void {
    const flight = (this.caches[item] as AuthorityCache<unknown>).begin((items[item] as Item).key);
    this.loads.push({ item, flight, value: undefined });
  }

  /** The next step of a load: the owner is read, the value is kept. @returns whether a kept value was refused */
  stepLoad(index: number, fails: boolean): boolean {
    const load = this.loads[index];
    if (!load) return false;
    const cache = this.caches[load.item] as AuthorityCache<unknown>;
    if (load.value === undefined && !fails) {
      load.value = this.#owner.read(load.item);
      return false;
    }
    this.loads.splice(index, 1);
    if (!fails) return !cache.settle(load.flight, load.value);
    cache.abandon(load.flight);
    return false;
  }
}
