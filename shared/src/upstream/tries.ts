import type { Member } from './member.ts';
import { brokeBeforeAnswer, neverReached } from './never-reached.ts';
import { NotStarted, TryElsewhere, Unresponsive, UnsureReplica } from './phase.ts';
import type { Upstream } from './upstream.ts';

/** Addresses that are tried before the service counts as lost, where none of them has started the request. */
const addressesTried = 3;

/**
 * Decides at which addresses one request is tried. A request with which nothing was done goes to the next address,
 * whatever its method. One that may have been started goes to at most one more address, only where doing it twice changes
 * nothing, and only within the budget: a service that fails everywhere must not get more load for it. One that a replica
 * cannot answer (`TryElsewhere`) goes to each other healthy address once. Nothing was done with it, but it cost work, so
 * the budget applies.
 */
export class Tries {
  /** Where it is tried now; null where no address is alive. */
  member: Member | null;
  readonly #upstream: Upstream;
  readonly #isSafe: boolean;
  #tried = 1;
  #repeated = false;
  /** Addresses that cannot answer it, and would say so again. */
  #unable: Set<Member> | undefined;

  /** @param isSafe whether the request changes nothing (RFC 9110 section 9.2.1) */
  constructor(upstream: Upstream, isSafe: boolean) {
    this.#upstream = upstream;
    this.#isSafe = isSafe;
    upstream.budget.earn();
    this.member = upstream.pickAlive();
  }

  /** How many addresses it has been given so far; 0 where none was alive. */
  count(): number {
    return this.#tried === 1 && !this.member ? 0 : this.#tried;
  }

  /**
   * Takes the reason of a missing answer, and picks another address.
   *
   * @returns false where no other address is left: the failure is then reported
   */
  next(error: unknown): boolean {
    const unsent = neverReached(error);
    const broke = brokeBeforeAnswer(error);
    if (error instanceof UnsureReplica) this.member?.notePhase('unsure');
    if (error instanceof TryElsewhere && this.member) {
      // Made when it is needed: nearly all requests have their answer from the first address.
      this.#unable ??= new Set();
      this.#unable.add(this.member);
    }
    if (broke || isSilence(error) || (unsent && !(error instanceof NotStarted))) this.member?.penalize();
    if (this.#tried === addressesTried) return false;
    if (unsent) return this.#turnTo(this.#upstream.pickAlive(this.#unable));
    if (error instanceof TryElsewhere)
      return this.#isSafe && this.#turnWithinBudget(this.#upstream.pickHealthy(this.#unable));
    const mayRepeat = broke || isSilence(error) || error instanceof UnsureReplica;
    if (!mayRepeat || !this.#isSafe || this.#repeated) return false;
    // A connection may break for reasons of its own. A silent or unsure address stays so, and only another one helps.
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

/** No answer in time: `AbortSignal.timeout` aborts with one of these. */
function isSilence(error: unknown): boolean {
  return error instanceof Unresponsive || (error instanceof Error && error.name === 'TimeoutError');
}

/**
 * Waits until an address has room for the request, and occupies it. The caller releases it.
 *
 * @param limitMs of the wait. The request itself needs the rest of the caller's time; otherwise the answer comes too late
 *   and the other service has worked without use. Under overload it would do nothing else
 * @throws Error where no address is alive, too many wait already, or none has room in time
 */
export function waitForRoom(upstream: Upstream, tries: Tries, limitMs: number): Promise<Member> {
  const { member } = tries;
  if (!member) return Promise.reject(upstream.whyLost());
  if (member.hasRoom()) {
    member.occupy();
    return Promise.resolve(member);
  }
  return new Promise((resolve, reject) => {
    const waiter = {
      weight: 1,
      limitMs,
      admit(admitted: Member) {
        clearTimeout(timer);
        tries.member = admitted;
        admitted.occupy();
        resolve(admitted);
      },
      refuse() {
        clearTimeout(timer);
        reject(upstream.whyLost());
      },
    };
    const timer = setTimeout(() => {
      upstream.line.remove(waiter);
      reject(new Error('no address had room in time'));
    }, limitMs);
    if (upstream.line.add(waiter)) return;
    clearTimeout(timer);
    reject(new Error('too many requests wait for an address'));
  });
}
