import { expect } from 'vitest';
import { ActStore } from './acts/act-store.ts';
import { type LeaseFixture, rawKeys } from './lease.fixture.ts';
import { leaseStatuses } from './lease.ts';
import { createLeaseReader } from './lease-reader.ts';
import { isByExpiry, isDescending, type LeaseOrder, leaseOrders } from './lease-row.ts';
import type { LeaseSelector } from './lease-selector.ts';
import { LeaseStore } from './lease-store.ts';
import type { Database } from './own-tables.ts';

export const viewerIds = ['ann', 'bea'] as const;
export const contentIds = ['film', 'series'] as const;
/** LEASE_RENEW_GRACE_SECONDS of the fixture. */
export const graceMs = 30_000;
const pageSize = 100;

/** A lease as the acts so far have left it. Times are milliseconds since 1970. */
export interface ExpectedLease {
  viewerId: string;
  contentId: string;
  deviceId: string | null;
  isSession: boolean;
  createdAt: number;
  expiresAt: number;
  isRevoked: boolean;
}

/** Every selector of the two viewers and the two contents. */
const selectors: readonly LeaseSelector[] = [null, ...viewerIds].flatMap((viewerId) =>
  [null, ...contentIds].map((contentId) => ({ viewerId, contentId })),
);

export const names = ({ viewerId, contentId }: LeaseSelector, lease: LeaseSelector) =>
  (viewerId ?? lease.viewerId) === lease.viewerId && (contentId ?? lease.contentId) === lease.contentId;

/** The leases that the service must show, in memory. Here a revocation ends what it names at once. */
export class ExpectedLeases {
  readonly #leases = new Map<string, ExpectedLease>();
  readonly #service: LeaseFixture;
  readonly #db: Database;
  #checks = 0;

  constructor(service: LeaseFixture, db: Database) {
    this.#service = service;
    this.#db = db;
  }

  get reader() {
    return createLeaseReader({ db: this.#db, renewGraceSeconds: graceMs / 1_000 });
  }

  set(id: string, lease: ExpectedLease): void {
    this.#leases.set(id, lease);
  }

  get(id: string): ExpectedLease {
    const lease = this.#leases.get(id);
    if (!lease) throw new Error(`the lease ${id} is not expected`);
    return lease;
  }

  delete(id: string): void {
    this.#leases.delete(id);
  }

  stateOf({ isRevoked, expiresAt }: ExpectedLease) {
    if (isRevoked) return 'revoked';
    return expiresAt > this.#service.clock.now() ? 'active' : 'expired';
  }

  /** Whether it is active or in its grace: a revocation ends it, and it may be renewed. */
  isOpen({ isRevoked, expiresAt }: ExpectedLease): boolean {
    return !isRevoked && expiresAt > this.#service.clock.now() - graceMs;
  }

  filter(isWanted: (lease: ExpectedLease) => boolean): [string, ExpectedLease][] {
    return [...this.#leases].filter(([, lease]) => isWanted(lease));
  }

  /** @param nth 0 is the newest one. @returns undefined if there is no lease */
  pick(nth: number): [string, ExpectedLease] | undefined {
    return [...this.#leases].at(-1 - (nth % Math.max(1, this.#leases.size)));
  }

  /** Compares every key decision, the counts of one selector, one list and one look-up. The next call compares others. */
  async check(): Promise<void> {
    const leases = [...this.#leases];
    const found = await this.reader.findLeases(leases.map(([id]) => id));
    const read = found.map((state) => ({ isRevoked: state?.revokedAt != null, expiresAt: state?.expiresAt }));
    expect(read).toEqual(leases.map(([, { isRevoked, expiresAt }]) => ({ isRevoked, expiresAt })));
    const nth = this.#checks++;
    await this.#checkCounts(selectors[nth % selectors.length] as LeaseSelector);
    await this.#checkList(nth);
    const [id, lease] = this.pick(nth) ?? [];
    if (!id || !lease) return;
    const look = await this.#service.ask('GET', `/api/v1/leases/${id}`, rawKeys.admin);
    expect(look.body.lease.state).toBe(this.stateOf(lease));
    expect((await this.reader.findLease(id))?.revokedAt != null).toBe(lease.isRevoked);
  }

  /** Compares every count and every list. */
  async checkAll(): Promise<void> {
    for (const selector of selectors) await this.#checkCounts(selector);
    const lists = selectors.length * (leaseStatuses.length + 1) * leaseOrders.length;
    for (let nth = 0; nth < lists; nth++) await this.#checkList(nth);
  }

  #active(selector: LeaseSelector): ExpectedLease[] {
    const active = this.filter((lease) => names(selector, lease) && this.stateOf(lease) === 'active');
    return active.map(([, lease]) => lease);
  }

  async #checkCounts(selector: LeaseSelector): Promise<void> {
    const now = this.#service.clock.now();
    const all = this.#active({ viewerId: null, contentId: null });
    const store = new LeaseStore(this.#db);
    expect(await store.countActive(selector, now)).toBe(this.#active(selector).length);
    expect(await store.countActiveSessions(now)).toBe(all.filter(({ isSession }) => isSession).length);
    const held = await new ActStore(this.#db).countActiveOf(viewerIds, now, 10_000);
    for (const viewerId of viewerIds)
      expect(held.get(viewerId)).toBe(this.#active({ viewerId, contentId: null }).length);
  }

  async #checkList(nth: number): Promise<void> {
    const selector = selectors[nth % selectors.length] as LeaseSelector;
    const turn = Math.floor(nth / selectors.length);
    const state = [...leaseStatuses, null][turn % 4] ?? null;
    const order = leaseOrders[Math.floor(turn / 4) % leaseOrders.length] as LeaseOrder;
    // By expiry only all active leases are listed.
    if (isByExpiry(order) && (state !== 'active' || nth % selectors.length > 0)) return;
    const expected = this.filter(
      (lease) => names(selector, lease) && (state === null || this.stateOf(lease) === state),
    )
      .map(([id, lease]) => ({
        id,
        at: isByExpiry(order) ? lease.expiresAt : lease.createdAt,
        state: this.stateOf(lease),
      }))
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    if (isDescending(order)) expected.reverse();
    const query = new URLSearchParams({ limit: String(pageSize), sort: order });
    for (const [name, value] of Object.entries({ ...selector, state })) if (value) query.set(name, value);
    const listed = await this.#listAll(query, this.#active(selector).length);
    expect(listed).toEqual(expected.map((lease) => ({ id: lease.id, state: lease.state })));
  }

  /** Every page of a list. */
  async #listAll(query: URLSearchParams, active: number): Promise<{ id: string; state: string }[]> {
    const listed: { id: string; state: string }[] = [];
    for (;;) {
      const { body } = await this.#service.ask('GET', `/api/v1/leases?${query}`, rawKeys.admin);
      expect(body.total_active).toBe(active);
      // Totals of other states are counted by the rows.
      if (query.get('state') === 'active') expect(body.total).toBe(active);
      listed.push(...body.leases.map(({ id, state }: { id: string; state: string }) => ({ id, state })));
      if (body.next_cursor === null) return listed;
      query.set('cursor', body.next_cursor);
    }
  }
}
