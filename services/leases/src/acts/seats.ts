import { AppError } from '@latchkey/shared/errors';
import type { Lease } from '../lease.ts';
import type { LeaseRules } from '../lease-rules.ts';
import { toLeaseView } from '../lease-schema.ts';
import type { Pair } from './act-store.ts';

/**
 * Whether a viewer may have one more active lease: yes; no; if these leases end; or only the next transaction can tell,
 * because this one would have to end a lease that it has not written yet.
 */
type Room = { evict: readonly Lease[] } | { refusal: AppError } | 'later';

/** The active leases of the viewers of one transaction, those that it writes included. So the limit is exact within it. */
export class Seats {
  readonly #rules: LeaseRules;
  readonly #active: Map<string, Lease[]>;
  readonly #unwritten = new Set<Lease>();

  /** @param active leases of each viewer, oldest first; empty where there is no limit */
  constructor(rules: LeaseRules, active: Map<string, Lease[]>) {
    this.#rules = rules;
    this.#active = active;
  }

  /**
   * Evicts the oldest leases or refuses, as `LEASE_LIMIT_MODE` says. Evicted leases do not count from here on.
   *
   * @param replaced a lease that ends if there is room, and does not count
   */
  makeRoom({ viewerId, contentId }: Pair, now: number, replaced?: Lease): Room {
    const { maxPerViewer, limitMode } = this.#rules;
    const active = (this.#active.get(viewerId) ?? []).filter(({ id }) => id !== replaced?.id);
    const tooMany = maxPerViewer === 0 ? 0 : active.length - maxPerViewer + 1;
    if (tooMany <= 0) {
      if (replaced) this.#active.set(viewerId, active);
      return { evict: [] };
    }
    if (limitMode === 'reject') {
      const refusal = new AppError('LEASE_LIMIT_REACHED', {
        detail: `The viewer has ${active.length} active leases and may have ${maxPerViewer}.`,
        members: { leases: active.map((lease) => toLeaseView(lease, now)) },
        about: { viewerId, contentId },
      });
      return { refusal };
    }
    const evict = active.slice(0, tooMany);
    if (evict.some((lease) => this.#unwritten.has(lease))) return 'later';
    this.#active.set(viewerId, active.slice(tooMany));
    return { evict };
  }

  /** Counts a lease that this transaction is about to write. */
  add(lease: Lease): void {
    this.#unwritten.add(lease);
    this.#active.set(lease.viewerId, [...(this.#active.get(lease.viewerId) ?? []), lease]);
  }
}
