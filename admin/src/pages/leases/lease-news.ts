import { useEffect, useEffectEvent, useRef } from 'react';
import type { ServerEvent, StreamState } from '../../api/events.ts';
import type { LeasePage, LeaseQuery } from '../../api/leases.ts';
import type { Lease } from '../../api/resources.ts';
import { useEvents } from '../../state/use-events.ts';

/** What became of leases, as the stream of events tells it. */
export type LeaseNews =
  | { kind: 'created' | 'renewed' | 'revoked'; lease: Lease }
  /** Management ended all that it named; which ones, the stream does not tell. */
  | { kind: 'revoked-all'; viewerId: string | null; contentId: string | null; revoked: number }
  /** The stream was broken for a while. */
  | { kind: 'missed' };

/** @returns null for what is not about leases */
export function readLeaseNews({ topic, event, data }: ServerEvent): LeaseNews | null {
  if (topic === 'missed') return { kind: 'missed' };
  if (topic !== 'lease' || typeof data !== 'object' || data === null) return null;
  if ('id' in data) return { kind: event as 'created', lease: data as Lease };
  const { viewerId = null, contentId = null, revoked = 0 } = data as Partial<Record<string, never>>;
  return { kind: 'revoked-all', viewerId, contentId, revoked };
}

/**
 * The rows as they are after the news, each in its place: nothing comes and nothing goes.
 *
 * @param nowMs milliseconds since 1970
 * @returns the same array where nothing is different
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

/** The ids of leases that have come to belong on the list since it was read; some may be on it already. */
export function findArrivals(news: readonly LeaseNews[], asked: LeaseQuery): string[] {
  return news.flatMap((one) => {
    if (one.kind === 'missed' || one.kind === 'revoked-all' || one.kind === 'renewed') return [];
    const { lease } = one;
    const isWanted =
      (asked.viewerId === undefined || asked.viewerId === lease.viewerId) &&
      (asked.contentId === undefined || asked.contentId === lease.contentId);
    // What is created is active. Of those that end, only a list of ended ones has not heard yet.
    const isOfState =
      one.kind === 'created'
        ? asked.state === undefined || asked.state === 'active'
        : asked.state === 'revoked';
    return isWanted && isOfState ? [lease.id] : [];
  });
}

/**
 * The rows as a newer reading of the same list has them, each in its place, and what has come before them meanwhile.
 *
 * @param nowMs milliseconds since 1970
 */
export function catchUp(
  rows: readonly Lease[],
  { leases, next_cursor }: LeasePage,
  nowMs: number,
): { rows: readonly Lease[]; arrivals: string[] } {
  const fresh = new Map(leases.map((lease) => [lease.id, lease]));
  const last = next_cursor === null ? '' : (leases.at(-1)?.createdAt ?? '');
  const shown = new Set(rows.map(({ id }) => id));
  const newest = rows[0]?.createdAt ?? '';
  return {
    rows: rows.map((row) => {
      const isGone = !fresh.has(row.id) && row.createdAt > last;
      // Only an active lease leaves a list, and before its time by a revocation alone.
      const isRevoked = isGone && row.revokedAt === null && Date.parse(row.expiresAt) > nowMs;
      return fresh.get(row.id) ?? (isRevoked ? asRevoked(row, nowMs) : row);
    }),
    arrivals: leases.filter(({ id, createdAt }) => !shown.has(id) && createdAt >= newest).map(({ id }) => id),
  };
}

function isNamed(lease: Lease, named: { viewerId: string | null; contentId: string | null }): boolean {
  return (
    (named.viewerId === null || named.viewerId === lease.viewerId) &&
    (named.contentId === null || named.contentId === lease.contentId)
  );
}

/** Until the server is asked: its reason is not known here. */
function asRevoked(lease: Lease, nowMs: number): Lease {
  return { ...lease, state: 'revoked', revokedAt: new Date(nowMs).toISOString(), revokedBy: 'management' };
}

/**
 * Hears what becomes of leases, gathered: a busy server has hundreds of news in a second, and nobody reads faster than this.
 *
 * @param everyMs how often at most
 * @param onNews answers false where it cannot take them yet; then it hears them again, with what has come meanwhile
 */
export function useLeaseNews(everyMs: number, onNews: (news: readonly LeaseNews[]) => boolean): StreamState {
  const held = useRef<LeaseNews[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const tell = useEffectEvent(() => {
    const isTaken = onNews(held.current);
    if (isTaken) held.current = [];
    timer.current = isTaken ? undefined : setTimeout(() => tell(), everyMs);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      held.current = [];
    },
    [],
  );
  return useEvents((event) => {
    const news = readLeaseNews(event);
    if (!news) return;
    held.current.push(news);
    timer.current ??= setTimeout(() => tell(), everyMs);
  });
}
