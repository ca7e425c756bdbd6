import type { Member } from './member.ts';

/** A request for which no address has room at the moment. */
export interface Waiter {
  /** The memory that it holds, in units of 16 KiB, the maximum for the head of a request. */
  readonly weight: number;
  /** Its turn has come: send it to this address now. */
  admit(member: Member): void;
  /** No address is alive any more. */
  refuse(): void;
}

/**
 * Together at most 64 MiB for each service, at 16 KiB each. With the usual 2 KiB heads they are some 40 MiB with all
 * other memory of a request. A gateway answers 10,000 requests a second, so more requests would time out before their
 * answer.
 */
const heaviest = 4_096;

/** Requests that wait for room, first in first out. A request that leaves costs nothing any more. */
export class WaitingLine {
  readonly #waiters = new Set<Waiter>();
  #weight = 0;

  get size(): number {
    return this.#waiters.size;
  }

  /** @returns false where the line is full */
  add(waiter: Waiter): boolean {
    if (this.#weight + waiter.weight > heaviest) return false;
    this.#waiters.add(waiter);
    this.#weight += waiter.weight;
    return true;
  }

  /** Call it when the request need not wait any longer. Does nothing where it does not wait. */
  remove(waiter: Waiter): void {
    if (this.#waiters.delete(waiter)) this.#weight -= waiter.weight;
  }

  /** Removes the one that has waited longest. */
  take(): Waiter | undefined {
    const [first] = this.#waiters;
    if (first) this.remove(first);
    return first;
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
