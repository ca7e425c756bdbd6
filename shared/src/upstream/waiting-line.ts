import type { Address } from './address.ts';

/** A request for which no address has room at the moment. */
export interface Waiter {
  /** The memory that it holds. */
  bytes(): number;
  /** Its turn has come: send it to this address now. */
  admit(address: Address): void;
  /** Every address is lost. */
  refuse(): void;
}

/** For each service. A waiting request for a key takes some 5 KiB (`gateway/src/forward.ts`), so 10,000 viewers can wait at once. */
const heaviestBytes = 64 * 1024 * 1024;

/** Requests that wait for room, first in first out. A request that leaves costs nothing any more. */
export class WaitingLine {
  readonly #waiters = new Map<Waiter, number>();
  /** Continues from its last position: from the start, each step would pass over all waiters that have left. */
  #turn = this.#waiters.keys();
  #bytes = 0;

  get size(): number {
    return this.#waiters.size;
  }

  /** @returns false if the line is full */
  add(waiter: Waiter): boolean {
    const bytes = waiter.bytes();
    if (this.#bytes + bytes > heaviestBytes) return false;
    this.#waiters.set(waiter, bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Call it when the request need not wait any longer. Does nothing if it does not wait. */
  remove(waiter: Waiter): void {
    const bytes = this.#waiters.get(waiter);
    if (bytes === undefined) return;
    this.#waiters.delete(waiter);
    this.#bytes -= bytes;
  }

  /** Removes the one that has waited longest. */
  take(): Waiter | undefined {
    let next = this.#turn.next();
    if (next.done) {
      this.#turn = this.#waiters.keys();
      next = this.#turn.next();
    }
    if (next.done) return undefined;
    this.remove(next.value);
    return next.value;
  }
}
