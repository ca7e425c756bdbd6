import type { Clock } from '../clock/clock.ts';
import type { FeedProgress } from '../events/index.ts';
import { createSharedLeaseReaders, type SharedStateReader } from './lease-source.ts';
import type { RecentChanges } from './recent-changes.ts';
import { type Item, items } from './simulated-owner.fixture.ts';
import type { StateKind, StateStore, StoredState } from './state-store.ts';

export const unasked = () => Promise.reject(new Error('the simulation reads the owner itself'));

/** A shared cache with every fault: running writes are lost, doubled and reordered, and old entries come back. */
export class SimulatedStates implements StateStore {
  readonly #random: (below: number) => number;
  readonly #underWay: { name: string; entry: StoredState }[] = [];
  #entries = new Map<string, StoredState>();
  #snapshot = new Map<string, StoredState>();
  #isDown = false;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }

  set(kind: StateKind, key: string, value: unknown, stamp: StoredState['stamp']): void {
    this.#underWay.push({ name: `${kind} ${key}`, entry: { value, stamp } });
  }

  /** The entry that a look-up finds now. */
  find(kind: StateKind, key: string): StoredState | null {
    return this.#isDown ? null : (this.#entries.get(`${kind} ${key}`) ?? null);
  }

  get(): Promise<StoredState | null> {
    return Promise.reject(new Error('the simulation looks up by itself'));
  }

  state(): 'up' | 'down' {
    return this.#isDown ? 'down' : 'up';
  }

  /** One event happens to the cache. */
  step(): void {
    const dice = this.#random(20);
    if (dice < 14) this.#write(dice);
    else if (dice < 16) this.#isDown = !this.#isDown;
    else if (dice < 18) this.#snapshot = new Map(this.#entries);
    else if (dice < 19) this.#entries = new Map(this.#snapshot);
    else this.#entries.clear();
  }

  #write(dice: number): void {
    const index = this.#random(this.#underWay.length || 1);
    const write = this.#underWay[index];
    if (!write) return;
    // One arrives twice, one is lost.
    if (dice !== 0) this.#underWay.splice(index, 1);
    if (dice !== 1) this.#entries.set(write.name, write.entry);
  }
}

/** For each item, its reader through the shared cache; null for items that are not shared. */
export function createReaders(
  states: SimulatedStates | null,
  recent: RecentChanges,
  follower: FeedProgress,
  clock: Clock,
): (SharedStateReader<unknown> | null)[] {
  if (!states) return items.map(() => null);
  const owner = { findLease: unasked, findMark: unasked };
  const { lease, mark } = createSharedLeaseReaders({ owner, states, recent }, follower, clock);
  const readers: Partial<Record<Item['source'], unknown>> = { leases: lease, marks: mark };
  return items.map(({ source }) => (readers[source] ?? null) as SharedStateReader<unknown> | null);
}
