import { TryElsewhere } from './elsewhere.ts';
import type { Member } from './member.ts';
import { brokeBeforeAnswer, neverReached } from './never-reached.ts';
import { NotStarted, Unresponsive, UnsureReplica } from './phase.ts';
import type { Upstream } from './upstream.ts';

/** Addresses that are tried before the neighbour counts as lost, where none of them has begun with the request. */
const addressesTried = 3;

/**
 * At which addresses one request is tried. A request with which nothing was done goes to the next one, whatever it is. One
 * that may have been begun goes to one more address at most, only where doing it twice changes nothing, and only within
 * the budget: a neighbour that fails everywhere must not get more to do for it. One that a replica cannot answer (`TryElsewhere`)
 * goes to the other healthy ones, to each once: nothing was done with it, but it was looked at, so the budget holds.
 */
export class Tries {
  /** Where it is tried now; null where no address is alive. */
  member: Member | null;
  readonly #upstream: Upstream;
  readonly #isSafe: boolean;
  #tried = 1;
  #repeated = false;
  /** Those that said that they cannot answer it: they would say so again. */
  readonly #unable = new Set<Member>();

  /** @param isSafe whether asking changes nothing (RFC 9110 section 9.2.1) */
  constructor(upstream: Upstream, isSafe: boolean) {
    this.#upstream = upstream;
    this.#isSafe = isSafe;
    upstream.budget.earn();
    this.member = upstream.pickAlive();
  }

  /**
   * Hears why there was no answer, and turns to another address.
   *
   * @returns false where there is none to turn to: the failure is to be told
   */
  next(error: unknown): boolean {
    const unsent = neverReached(error);
    const broke = brokeBeforeAnswer(error);
    if (error instanceof UnsureReplica) this.member?.notePhase('unsure');
    if (error instanceof TryElsewhere && this.member) this.#unable.add(this.member);
    if (broke || isSilence(error) || (unsent && !(error instanceof NotStarted))) this.member?.penalize();
    if (this.#tried === addressesTried) return false;
    if (unsent) return this.#turnTo(this.#upstream.pickAlive(this.#unable));
    if (error instanceof TryElsewhere)
      return this.#isSafe && this.#turnWithinBudget(this.#upstream.pickHealthy(this.#unable));
    const mayRepeat = broke || isSilence(error) || error instanceof UnsureReplica;
    if (!mayRepeat || !this.#isSafe || this.#repeated) return false;
    // A connection may break for reasons of its own; who is silent or unsure stays so, and only another one helps.
    const other = broke ? this.#upstream.pickAlive(this.#unable) : this.#upstream.pickHealthy(this.#unable);
    this.#repeated = this.#turnWithinBudget(other);
    return this.#repeated;
  }

  #turnWithinBudget(member: Member | null): boolean {
    return member !== null && this.#upstream.budget.spend() && this.#turnTo(member);
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
  return error instanceof Unresponsive || (error instanceof Error && error.name === 'TimeoutError');
}
