import { useTimeout } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import type { Answer } from '../../api/api.ts';
import type { ServerEvent } from '../../api/events.ts';
import type { Lease } from '../../api/schema.ts';
import { useEvents } from '../../state/use-events.ts';
import type { LeaseQuery } from './lease-filter.ts';

export type LeasePage = Answer<'get', '/api/v1/leases'>;

/** A change of leases, from the event stream. */
export type LeaseNews =
  | { kind: 'created' | 'renewed' | 'revoked'; lease: Lease }
  /** A bulk revocation by management. The event does not name the leases. */
  | { kind: 'revoked-all'; viewerId: string | null; contentId: string | null }
  /** Events were lost. */
  | { kind: 'missed' };

/** @returns null for events about other topics */
export function readLeaseNews({ topic, event, data }: ServerEvent): LeaseNews | null {
  if (topic === 'missed') return { kind: 'missed' };
  if (topic !== 'lease' || typeof data !== 'object' || data === null) return null;
  if ('id' in data) return { kind: event as 'created', lease: data as Lease };
  const { viewerId = null, contentId = null } = data as Partial<Record<string, never>>;
  return { kind: 'revoked-all', viewerId, contentId };
}

/**
 * Applies changes to the rows in place. No row is added or removed.
 *
 * @param nowMs milliseconds since 1970
 * @returns the same array if nothing changes
 */
export function applyNews(
  rows: readonly Lease[],
  news: readonly LeaseNews[],
  nowMs: number,
): readonly Lease[] {
  const changed = new Map(rows.map((row) => [row.id, row]));
  for (const one of news) {
    if (one.kind === 'revoked-all') {
      for (const row of changed.values())
        if (isNamed(row, one) && row.revokedAt === null && Date.parse(row.expiresAt) > nowMs)
          changed.set(row.id, asRevoked(row, nowMs));
    } else if (one.kind !== 'missed' && changed.has(one.lease.id)) changed.set(one.lease.id, one.lease);
  }
  const after = [...changed.values()];
  return after.some((row, index) => row !== rows[index]) ? after : rows;
}

/** The IDs of leases that belong on top of the list since it was read: newest first. Some may be on it already. */
export function findArrivals(news: readonly LeaseNews[], query: LeaseQuery): string[] {
  if (query.sort !== undefined) return [];
  return news.flatMap((one) => {
    if (one.kind === 'missed' || one.kind === 'revoked-all' || one.kind === 'renewed') return [];
    // A created lease is active. A revoked lease is new only on a list of revoked leases.
    const isOfState =
      one.kind === 'created'
        ? query.state === undefined || query.state === 'active'
        : query.state === 'revoked';
    return isNamed(one.lease, query) && isOfState ? [one.lease.id] : [];
  });
}

/**
 * Updates the rows in place from a newer read of the same list, and finds the leases that are new in front of them.
 *
 * @param nowMs milliseconds since 1970
 * @param isNewestFirst in another order, a missing row need not have been revoked, and new leases do not come first
 */
export function catchUp(
  rows: readonly Lease[],
  { leases, next_cursor }: LeasePage,
  nowMs: number,
  isNewestFirst = true,
): { rows: readonly Lease[]; arrivals: string[] } {
  const fresh = new Map(leases.map((lease) => [lease.id, lease]));
  const last = next_cursor === null ? '' : (leases.at(-1)?.createdAt ?? '');
  const shown = new Set(rows.map(({ id }) => id));
  const newest = rows[0]?.createdAt ?? '';
  return {
    rows: rows.map((row) => {
      const isGone = isNewestFirst && !fresh.has(row.id) && row.createdAt > last;
      // Only active leases leave a list, and before their expiry only by a revocation.
      const isRevoked = isGone && row.revokedAt === null && Date.parse(row.expiresAt) > nowMs;
      return fresh.get(row.id) ?? (isRevoked ? asRevoked(row, nowMs) : row);
    }),
    arrivals: isNewestFirst
      ? leases.filter(({ id, createdAt }) => !shown.has(id) && createdAt >= newest).map(({ id }) => id)
      : [],
  };
}

function isNamed(lease: Lease, { viewerId, contentId }: Pick<LeaseQuery, 'viewerId' | 'contentId'>): boolean {
  return (
    (viewerId ?? lease.viewerId) === lease.viewerId && (contentId ?? lease.contentId) === lease.contentId
  );
}

/** Provisional: the reason is unknown until the next read. */
function asRevoked(lease: Lease, nowMs: number): Lease {
  return { ...lease, state: 'revoked', revokedAt: new Date(nowMs).toISOString(), revokedBy: 'management' };
}

/**
 * Receives changes of leases in batches: a busy server sends hundreds of events a second.
 *
 * @param everyMs shortest time between two batches
 * @param isReady while false, the changes wait for it
 */
export function useLeaseNews(
  everyMs: number,
  isReady: boolean,
  onNews: (news: readonly LeaseNews[]) => void,
): void {
  const waiting = useRef<LeaseNews[]>([]);
  const { start } = useTimeout(() => {
    if (isReady) onNews(waiting.current.splice(0));
  }, everyMs);
  useEffect(() => {
    if (isReady && waiting.current.length > 0) start();
  }, [isReady, start]);
  useEvents((event) => {
    const news = readLeaseNews(event);
    if (!news) return;
    waiting.current.push(news);
    start();
  });
}
