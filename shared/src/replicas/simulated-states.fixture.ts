import type { StateKind, StateStore, StoredState } from './state-store.ts';

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

  /** What a look-up finds now. */
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
