import type { Address } from './address.ts';
import {
  brokeBeforeAnswer,
  isSilence,
  NotStarted,
  TryElsewhere,
  tookNoConnection,
  UnsureReplica,
} from './failures.ts';
import type { Upstream } from './upstream.ts';

/**
 * Decides at which addresses one request is tried.
 *
 * A request with which nothing was done goes to the next address, whatever its method, at most once to each. A request that changes
 * nothing goes on to the next one while each process reports that another may be able to answer. It goes once more to another address if its
 * connection broke, its address is silent or its process is unsure.
 */
export class Tries {
  /** Where it is tried now; null if every address is lost. */
  address: Address | null;
  readonly #upstream: Upstream;
  readonly #isSafe: boolean;
  #count = 0;
  #isRepeated = false;
  /** The replicas that reported that another one may be able to answer. Null while none did, as for nearly every request. */
  #unable: Set<Address> | null = null;

  /** @param isSafe whether the request changes nothing (RFC 9110 section 9.2.1) */
  constructor(upstream: Upstream, isSafe: boolean) {
    this.#upstream = upstream;
    this.#isSafe = isSafe;
    this.address = null;
    this.#turnTo(upstream.pick());
  }

  /** How many addresses it has been given so far; 0 if all were lost. */
  count(): number {
    return this.#count;
  }

  /**
   * Takes the reason of a missing answer, and picks another address.
   *
   * @returns false if the request is sent to no other address: the failure is then reported
   */
  next(error: unknown): boolean {
    const { address } = this;
    if (!address) return false;
    const isUnsent = tookNoConnection(error) || error instanceof NotStarted;
    const broke = brokeBeforeAnswer(error);
    const isAvoided = isUnsent || broke || isSilence(error) || error instanceof UnsureReplica;
    if (isAvoided) address.avoid(error);
    if (isUnsent)
      return this.#count < this.#upstream.size() && this.#turnTo(this.#upstream.pick(new Set([address])));
    if (!this.#isSafe) return false;
    if (error instanceof TryElsewhere) {
      this.#unable = (this.#unable ?? new Set()).add(address);
      return this.#turnTo(this.#upstream.pickInRotation(this.#unable));
    }
    if (this.#isRepeated || !isAvoided) return false;
    // Idle connections break for reasons of their own, so the same address may do. A silent or unsure one stays so for a second.
    this.#isRepeated = this.#turnTo(
      broke ? this.#upstream.pick() : this.#upstream.pickInRotation(new Set([address])),
    );
    return this.#isRepeated;
  }

  #turnTo(address: Address | null): boolean {
    if (!address) return false;
    this.#count++;
    this.address = address;
    return true;
  }
}
