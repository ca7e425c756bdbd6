import { describe, expect, it } from 'vitest';
import type { Lease } from '../../api/schema.ts';
import { applyNews, catchUp, findArrivals, type LeaseNews, readLeaseNews } from './lease-news.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString();

function lease(id: string, part: Partial<Lease> = {}): Lease {
  return {
    ...{
      id,
      viewerId: `viewer of ${id}`,
      contentId: 'film',
      deviceId: null,
      kind: 'player',
      state: 'active',
    },
    ...{ createdAt: at(-60), renewedAt: null, expiresAt: at(240), lastUsedAt: null },
    ...{ revokedAt: null, revokedBy: null, reason: null },
    ...part,
  };
}

const all = (named: { viewerId?: string; contentId?: string }): LeaseNews => ({
  ...{ kind: 'revoked-all', viewerId: null, contentId: null },
  ...named,
});

describe('readLeaseNews', () => {
  it('events of other topics are ignored', () => {
    expect(readLeaseNews({ topic: 'audit', event: 'audit', data: { id: 'a' } })).toBeNull();
    expect(readLeaseNews({ topic: 'lease', event: 'created', data: null })).toBeNull();
  });
});

describe('applyNews', () => {
  const rows = [lease('a'), lease('b', { viewerId: 'v' }), lease('c', { expiresAt: at(-1), viewerId: 'v' })];

  it('rows are updated in place by their latest change, and no row is added', () => {
    const renewed = lease('b', { expiresAt: at(500) });
    const news: LeaseNews[] = [
      { kind: 'renewed', lease: lease('b', { expiresAt: at(300) }) },
      { kind: 'renewed', lease: renewed },
      { kind: 'created', lease: lease('z') },
    ];
    expect(applyNews(rows, news, now)).toEqual([rows[0], renewed, rows[2]]);
  });

  it('without changes the same array is returned, so that nothing is redrawn', () => {
    expect(applyNews(rows, [{ kind: 'created', lease: lease('z') }, { kind: 'missed' }], now)).toBe(rows);
    expect(applyNews(rows, [all({ viewerId: 'somebody else' })], now)).toBe(rows);
  });

  it('a bulk revocation ends the leases that it selects, but no expired leases and no other leases', () => {
    const states = (news: LeaseNews) => applyNews(rows, [news], now).map(({ state }) => state);
    expect(states(all({ viewerId: 'v' }))).toEqual(['active', 'revoked', 'active']);
    expect(states(all({ contentId: 'film' }))).toEqual(['revoked', 'revoked', 'active']);
    expect(states(all({ viewerId: 'v', contentId: 'another' }))).toEqual(['active', 'active', 'active']);
  });
});

describe('findArrivals', () => {
  const created: LeaseNews = { kind: 'created', lease: lease('new', { viewerId: 'v' }) };
  const revoked: LeaseNews = { kind: 'revoked', lease: lease('old', { viewerId: 'v' }) };

  it.each([
    [{}, ['new']],
    [{ state: 'active' }, ['new']],
    [{ state: 'revoked' }, ['old']],
    [{ state: 'expired' }, []],
    [{ viewerId: 'v', contentId: 'film' }, ['new']],
    [{ viewerId: 'w' }, []],
    [{ contentId: 'another' }, []],
  ] as const)('on a list filtered by %j, the new leases are %j', (query, ids) => {
    expect(findArrivals([created, revoked, { kind: 'missed' }], query)).toEqual(ids);
  });
});

describe('catchUp', () => {
  const page = (leases: Lease[], next_cursor: string | null = null) => ({
    leases,
    next_cursor,
    total_active: 0,
  });

  it('leases in front of the rows are counted, and the rows stay in place', () => {
    const rows = [lease('b'), lease('a', { createdAt: at(-90) })];
    const fresh = page([lease('d', { createdAt: at(-2) }), lease('c', { createdAt: at(-5) }), ...rows]);
    expect(catchUp(rows, fresh, now)).toEqual({ rows, arrivals: ['d', 'c'] });
  });

  it('a lease that left the list before its expiry is shown as revoked, within the range of the list', () => {
    const rows = [lease('b'), lease('a', { createdAt: at(-90) }), lease('far', { createdAt: at(-900) })];
    const fresh = page([lease('a', { createdAt: at(-90) })], 'more');
    expect(catchUp(rows, fresh, now).rows.map(({ state }) => state)).toEqual(['revoked', 'active', 'active']);
  });

  it('a row that moved onto the page from below is not counted as new', () => {
    const rows = [lease('b')];
    const fresh = page([lease('b'), lease('below', { createdAt: at(-500) })]);
    expect(catchUp(rows, fresh, now).arrivals).toEqual([]);
  });
});
