import type { LeaseState } from '../contracts/index.ts';
import type { Change, Ledger, LedgerEntry, Notice } from '../events/index.ts';
import { leaseLifeMs } from './lease-source.ts';
import type { FeedStamp, RecentChanges } from './recent-changes.ts';
import type { StateStore } from './state-store.ts';

export interface PublishLeasesOptions {
  states: StateStore;
  /** The record that this process's follower of the change feed tells. */
  recent: RecentChanges;
  /** Seconds after its expiry for which a lease can be renewed. */
  renewGraceSeconds: number;
}

/** What one attempt of an act did to leases. */
interface Attempt {
  now: number;
  shown: Notice[];
  /** By lease id, the place in the feed of the change that names this lease alone. */
  changed: Map<string, FeedStamp>;
}

/**
 * A ledger that, once an act is committed, shares what became of each lease that the act shows. A revocation of many
 * leases by a viewer or a content shares nothing: its change in the feed ends the belief in all of them.
 */
export function publishLeases(ledger: Ledger, options: PublishLeasesOptions): Ledger {
  const { recent } = options;
  return {
    async write(work) {
      // From before the act: what others change while it runs need not be in what it writes.
      const before = recent.stamp();
      let attempt: Attempt | null = null;
      const result = await ledger.write((entry) => {
        attempt = { now: entry.now, shown: [], changed: new Map() };
        return work(watch(entry, attempt));
      });
      if (attempt) share(attempt, before, options);
      return result;
    },
  };
}

function watch(entry: LedgerEntry, { now, shown, changed }: Attempt): LedgerEntry {
  return {
    ...entry,
    async change(change: Change) {
      const number = await entry.change(change);
      if (change.kind === 'leases' && change.leaseId !== null)
        changed.set(change.leaseId, { number, at: now });
      return number;
    },
    notice(notice) {
      if (notice.topic === 'lease') shown.push(notice);
      entry.notice(notice);
    },
  };
}

function share(
  { now, shown, changed }: Attempt,
  before: FeedStamp | null,
  options: PublishLeasesOptions,
): void {
  for (const { data } of shown) {
    if (typeof data.id !== 'string') continue;
    const lease = readLease(data, options.renewGraceSeconds);
    // A revocation is true at its own number, and believed nowhere below it.
    const own = changed.get(data.id);
    const ofHistory = before?.history != null && { history: before.history };
    const stamp = own ? { ...own, ...ofHistory } : lease?.revokedAt === null ? before : null;
    const lifeMs = leaseLifeMs(lease, now);
    if (lease && stamp && lifeMs > 0) options.states.set('lease', data.id, lease, stamp, lifeMs);
  }
}

/** @returns null where the notice does not show a lease as the API does */
function readLease(data: Record<string, unknown>, renewGraceSeconds: number): LeaseState | null {
  const { viewerId, contentId, revokedAt } = data;
  const expiresAt = Date.parse(String(data.expiresAt));
  if (typeof viewerId !== 'string' || typeof contentId !== 'string' || Number.isNaN(expiresAt)) return null;
  const endedAt = revokedAt === null ? null : Date.parse(String(revokedAt));
  if (Number.isNaN(endedAt)) return null;
  const renewableUntil = expiresAt + renewGraceSeconds * 1_000;
  return { viewerId, contentId, expiresAt, renewableUntil, revokedAt: endedAt };
}
