import type { Renewal } from '../lease-store.ts';

/** The renewals that one transaction is about to write, at most one for each lease. */
export class RenewalPlan {
  readonly renewals = new Map<string, Renewal>();
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  /**
   * @param expiringAfter as in `Renewal`
   * @returns false if the lease gets another expiry in this transaction; it can be renewed again in the next one
   */
  add(
    leaseId: string,
    { ttlMs, notAfter = Number.POSITIVE_INFINITY }: { ttlMs: number; notAfter?: number | undefined },
    expiringAfter: number,
  ): boolean {
    const expiresAt = Math.min(this.#now + ttlMs, notAfter);
    const planned = this.renewals.get(leaseId);
    if (planned) return planned.expiresAt === expiresAt;
    this.renewals.set(leaseId, { at: this.#now, expiresAt, expiringAfter });
    return true;
  }
}
