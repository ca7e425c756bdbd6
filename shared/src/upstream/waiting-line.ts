import type { Clock } from '../clock/clock.ts';
import { createDrainRate } from './drain-rate.ts';
import type { Member } from './member.ts';

/** A request for which no address has room at the moment. */
export interface Waiter {
  /** The memory that it holds, in units of 16 KiB. It need not be a whole number. */
  readonly weight: number;
  /** How long it can wait, in milliseconds. Left out: as long as it takes. */
  readonly limitMs?: number;
  /** Its turn has come: send it to this address now. */
  admit(member: Member): void;
  /** No address is alive any more. */
  refuse(): void;
}

/**
 * Together at most 64 MiB for each service, at 16 KiB each. A waiting request for a key takes some 5 KiB (`gateway/src/forwarding.ts`), so
 * 10,000 viewers can wait at once.
 */
const heaviest = 4_096;

/** Requests that wait for room, first in first out. A request that leaves costs nothing any more. */
export class WaitingLine {
  readonly #waiters = new Set<Waiter>();
  /** Goes on where it was: from the start again, each step would pass all that have left. */
  #turn = this.#waiters.values();
  #weight = 0;
  readonly #rate: ReturnType<typeof createDrainRate>;

  constructor(clock: Clock) {
    this.#rate = createDrainRate(clock);
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** @returns false where the line is full, or so long that the request's turn would not come in time */
  add(waiter: Waiter): boolean {
    if (this.#weight + waiter.weight > heaviest) return false;
    if (waiter.limitMs !== undefined && this.#expectedMs() > waiter.limitMs) return false;
    this.#waiters.add(waiter);
    this.#weight += waiter.weight;
    return true;
  }

  /** Call it when the request need not wait any longer. Does nothing where it does not wait. */
  remove(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter)) return;
    this.#weight -= waiter.weight;
    if (this.#waiters.size === 0) this.#rate.forget();
  }

  /** Removes the one that has waited longest. */
  take(): Waiter | undefined {
    let next = this.#turn.next();
    if (next.done) {
      this.#turn = this.#waiters.values();
      next = this.#turn.next();
    }
    if (next.done) return undefined;
    this.#rate.count();
    this.remove(next.value);
    return next.value;
  }

  /** How long a request would wait that comes now; 0 where that is not known. */
  #expectedMs(): number {
    const perMs = this.#rate.perMs();
    return perMs === null ? 0 : this.#waiters.size / perMs;
  }
}

/**
 * A fifth of all requests may be sent a second time, as in Finagle and Linkerd (`percentCanRetry`, `retryRatio`). Where
 * every request fails, the other service gets a fifth more load and not twice as much.
 */
const share = 0.2;
/**
 * In addition to that, this many: the requests that wait at one address when it falls silent, at 128 connections to each
 * and one request on each.
 */
const reserve = 128;

/** How many requests may be sent once more although the first address may have started them. */
export interface RetryBudget {
  /** A request begins. */
  earn(): void;
  /** @returns whether a request may be sent once more; if so, it is counted */
  spend(): boolean;
}

/** Begins with the reserve, and never holds more. */
export function createRetryBudget(): RetryBudget {
  let left = reserve;
  return {
    earn() {
      left = Math.min(reserve, left + share);
    },
    spend() {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
