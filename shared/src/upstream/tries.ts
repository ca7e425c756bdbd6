import type { Member } from './member.ts';
import { brokeBeforeAnswer, neverReached } from './never-reached.ts';
import { NoSignOfLife, NotBegun, NotSure } from './phase.ts';
import type { Upstream } from './upstream.ts';

/** Addresses that are tried before the neighbour counts as lost, where none of them has begun with the request. */
const addressesTried = 3;

/**
 * At which addresses one request is tried. A request with which nothing was done goes to the next one, whatever it is. One
 * that may have been begun goes to one more address at most, only where doing it twice changes nothing, and only within
 * the budget: a neighbour that fails everywhere must not get more to do for it.
 */
export class Tries {
  /** Where it is tried now; null where no address is known. */
  member: Member | null;
  readonly #upstream: Upstream;
  readonly #isSafe: boolean;
  #tried = 1;
  #repeated = false;

  /** @param isSafe whether asking changes nothing (RFC 9110 section 9.2.1) */
  constructor(upstream: Upstream, isSafe: boolean) {
    this.#upstream = upstream;
    this.#isSafe = isSafe;
    upstream.budget.earn();
    this.member = upstream.pick();
  }

  /**
   * Hears why there was no answer, and turns to another address.
   *
   * @returns false where there is none to turn to: the failure is to be told
   */
  next(error: unknown): boolean {
    const unsent = neverReached(error);
    const broke = brokeBeforeAnswer(error);
    if (error instanceof NotSure) this.member?.heed('unsure');
    if (broke || isSilence(error) || (unsent && !(error instanceof NotBegun))) this.member?.penalize();
    if (this.#tried === addressesTried) return false;
    if (unsent) return this.#turnTo(this.#upstream.pick());
    const mayRepeat = broke || isSilence(error) || error instanceof NotSure;
    if (!mayRepeat || !this.#isSafe || this.#repeated) return false;
    // A connection may break for reasons of its own; who is silent or unsure stays so, and only another one helps.
    const other = broke ? this.#upstream.pick() : this.#upstream.pickWell();
    if (!other || !this.#upstream.budget.spend()) return false;
    this.#repeated = true;
    return this.#turnTo(other);
  }

  #turnTo(member: Member | null): boolean {
    if (!member) return false;
    this.#tried++;
    this.member = member;
    return true;
  }
}

/** No answer in time: what `AbortSignal.timeout` aborts with is one of them. */
function isSilence(error: unknown): boolean {
  return error instanceof NoSignOfLife || (error instanceof Error && error.name === 'TimeoutError');
}
