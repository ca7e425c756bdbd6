import { isEntitled, type Principal } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { Lease } from '../lease.ts';
import { type LeaseRules, maxActive } from '../lease-rules.ts';
import { toLeaseView } from '../lease-schema.ts';
import type { Pair } from './pair-selectors.ts';

/** How many of the viewer's active leases a refusal shows: as many as the answer to a revocation does. */
export const shownLeases = 100;

/**
 * Whether a viewer may have one more active lease: yes; no; if these leases end; or only the next transaction can tell,
 * because this one would have to end a lease that it has not written yet.
 */
type Room = { evict: readonly Lease[] } | { refusal: AppError } | 'later';

/** The active leases of the viewers of one transaction, including the leases that it writes. So the limit is exact within it. */
export class ActiveLeases {
  readonly #rules: LeaseRules;
  /** How many each viewer has. */
  readonly #counts: Map<string, number>;
  /** The oldest of them, as many as may be shown or evicted. Then the leases that are not written yet. */
  readonly #oldest: Map<string, Lease[]>;
  readonly #unwritten = new Set<Lease>();
  /** Ids of leases that end in this transaction. */
  readonly #ending = new Set<string>();

  /**
   * @param counts how many active leases each viewer has
   * @param oldest the oldest ones of viewers for whom there may be no room
   */
  constructor(rules: LeaseRules, counts: Map<string, number>, oldest: Map<string, Lease[]>) {
    this.#rules = rules;
    this.#counts = counts;
    this.#oldest = oldest;
  }

  /**
   * Evicts the oldest leases or refuses, as `LEASE_LIMIT_MODE` says. Evicted leases do not count from here on.
   *
   * @param principal the caller, who sees the leases of a refusal. A limited API key sees only leases of its contents
   * @param replaced a lease that ends if there is room, and does not count
   */
  makeRoom({ viewerId, contentId }: Pair, principal: Principal, now: number, replaced?: Lease): Room {
    const max = maxActive(this.#rules);
    const ends = replaced && !this.#ending.has(replaced.id) ? [replaced] : [];
    const active = (this.#counts.get(viewerId) ?? 0) - ends.length;
    const tooMany = active - max + 1;
    const known = (this.#oldest.get(viewerId) ?? []).filter(
      ({ id }) => id !== replaced?.id && !this.#ending.has(id),
    );
    if (tooMany > 0 && this.#rules.limitMode === 'reject') {
      const seesAll = principal.kind !== 'api-key' || principal.contents === null;
      const shown = seesAll ? known : known.filter((lease) => isEntitled(principal, lease.contentId));
      const refusal = new AppError('LEASE_LIMIT_REACHED', {
        detail: `The viewer ${seesAll ? `has ${active} active leases and may have` : 'has reached its limit of active leases:'} ${max}.`,
        members: { leases: shown.slice(0, shownLeases).map((lease) => toLeaseView(lease, now)) },
        about: { viewerId, contentId },
      });
      return { refusal };
    }
    const evict = known.slice(0, Math.max(0, tooMany));
    if (evict.some((lease) => this.#unwritten.has(lease))) return 'later';
    for (const { id } of [...ends, ...evict]) this.#ending.add(id);
    this.#counts.set(viewerId, active - evict.length);
    return { evict };
  }

  /** Counts a lease that this transaction is about to write. */
  add(lease: Lease): void {
    const { viewerId } = lease;
    this.#unwritten.add(lease);
    this.#counts.set(viewerId, (this.#counts.get(viewerId) ?? 0) + 1);
    this.#oldest.set(viewerId, [...(this.#oldest.get(viewerId) ?? []), lease]);
  }
}
