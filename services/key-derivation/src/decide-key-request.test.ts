import { type Authority, EarlierState } from '@latchkey/shared/authority';
import type { ApiKeyState, ContentState, LeaseState, MarkState, Principal } from '@latchkey/shared/contracts';
import { planCaches } from '@latchkey/shared/memory';
import { createLeaseState, createManualClock, type ManualClock } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { openAuthority } from './authority.fixture.ts';
import { decideKeyRequest, type KeyRules } from './decide-key-request.ts';

const leaseId = '5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11';
const film = { mode: 'sequence', count: 2, periodSeconds: 10, burst: 8, speed: 2, pace: true } as const;
const optional: KeyRules = { contentMode: 'registered', leaseMode: 'optional' };

let clock: ManualClock;
let authority: Authority;
/** Follows the change feed, so that states that nothing has named hold on. */
let pull: () => Promise<void>;
let viewer: Extract<Principal, { kind: 'viewer' }>;
// The answers of the owners.
let content: ContentState | null;
let lease: LeaseState | null;
let mark: MarkState | null;
let apiKey: ApiKeyState | null;

beforeEach(async () => {
  clock = createManualClock();
  const now = clock.now();
  content = { status: 'active', keyVersion: 3, keyPeriods: null };
  lease = createLeaseState({ viewerId: 'ada', expiresAt: now + 60_000, renewableUntil: now + 90_000 });
  mark = null;
  apiKey = { id: 'k', name: 'k', scope: 'playback', expiresAt: null, revokedAt: null };
  viewer = { kind: 'viewer', id: 'ada', issuedNotBefore: now, contents: null, mayUpload: false };
  const opened = openAuthority(clock, {
    findApiKey: async () => apiKey,
    findContent: async () => content,
    findLease: async () => lease,
    findMark: async () => mark,
  });
  authority = opened.authority;
  pull = () => opened.follower.pull();
  // A process that has not read the feed yet serves nothing.
  await pull();
});

/** Decides as the issuer does: what is unknown is read, then everything is decided again. */
async function decide(
  rules: KeyRules,
  named: string | null,
  principal: Principal = viewer,
  contentId = 'film',
  epoch?: number,
) {
  const loads = authority.leases.loadsBegun;
  for (let reads = 0; reads < 12; reads++) {
    const decision = decideKeyRequest(
      { principal, contentId, epoch, leaseId: named },
      authority,
      rules,
      clock.now(),
      loads,
    );
    if (decision.kind === 'refuse') return decision.code;
    if (decision.kind === 'serve') return decision.keyVersion;
    await authority[decision.unknown.cache].load(decision.unknown.key);
  }
  throw new Error('never decided');
}

describe('the order of decisions', () => {
  test('a key has the key version of its content, and the first version for content that was never registered, and a disabled one has none', async () => {
    expect(await decide(optional, null)).toBe(3);
    content = null;
    authority.contents.clear();
    expect(await decide({ ...optional, contentMode: 'any' }, null)).toBe(1);
    content = { status: 'disabled', keyVersion: 1, keyPeriods: null };
    authority.contents.clear();
    expect(await decide({ ...optional, contentMode: 'any' }, null)).toBe('CONTENT_NOT_FOUND');
  });

  test('a viewer without the right to play learns nothing of the key periods: lease and marks come first', async () => {
    content = { status: 'active', keyVersion: 3, keyPeriods: film };
    const ask = (rules: KeyRules, named: string | null, principal: Principal = viewer) =>
      decide(rules, named, principal, 'film', 2);
    expect(await ask(optional, null)).toBe('EPOCH_NOT_FOUND');
    expect(await ask({ ...optional, leaseMode: 'required' }, null)).toBe('LEASE_REQUIRED');
    expect(await ask(optional, 'no-lease-at-all')).toBe('LEASE_UNKNOWN');
    if (lease) lease = { ...lease, revokedAt: clock.now() };
    expect(await ask(optional, leaseId)).toBe('LEASE_REVOKED');
    expect(await ask(optional, null, { ...viewer, contents: new Set(['other']) })).toBe(
      'CONTENT_NOT_ENTITLED',
    );
    mark = clock.now();
    authority.marks.clear();
    expect(await ask(optional, null)).toBe('TOKEN_REVOKED');
    content = { ...content, status: 'disabled' };
    authority.contents.clear();
    expect(await ask(optional, null)).toBe('CONTENT_NOT_FOUND');
  });

  test('an API key that is revoked while the content is read gets no key', async () => {
    const key: Principal = {
      kind: 'api-key',
      id: 'k',
      name: 'k',
      scope: 'admin',
      contents: null,
      cacheKey: 'h',
    };
    if (apiKey) apiKey = { ...apiKey, revokedAt: clock.now() };
    expect(await decide(optional, null, key)).toBe('INVALID_API_KEY');
  });
});

describe('a lease that is named decides by itself', () => {
  test('a malformed lease id is unknown without a call to the lease service', async () => {
    for (const id of [
      'x',
      leaseId.toUpperCase(),
      `${leaseId},${leaseId}`,
      '../../etc/passwd',
      `${leaseId}\u0000`,
    ]) {
      expect(await decide(optional, id)).toBe('LEASE_UNKNOWN');
    }
    expect(authority.leases.loadsBegun).toBe(0);
  });

  test('a lease that is revoked and expired is refused as revoked', async () => {
    if (lease) lease = { ...lease, revokedAt: clock.now(), expiresAt: clock.now() - 1 };
    expect(await decide(optional, leaseId)).toBe('LEASE_REVOKED');
  });

  test('a lease is expired from the millisecond of its expiry, and finally after its grace', async () => {
    expect(await decide(optional, leaseId)).toBe(3);
    clock.advance(60_000);
    await pull();
    expect(await decide(optional, leaseId)).toBe('LEASE_EXPIRED');
    clock.advance(60_000);
    await pull();
    expect(await decide(optional, leaseId)).toBe('LEASE_EXPIRED');
  });

  test('a cached lease that looks expired within its grace is read again, because it may be renewed elsewhere', async () => {
    expect(await decide(optional, leaseId)).toBe(3);
    clock.advance(60_000);
    await pull();
    if (lease) lease = { ...lease, expiresAt: clock.now() + 60_000, renewableUntil: clock.now() + 90_000 };
    expect(await decide(optional, leaseId)).toBe(3);
  });

  test('a lease whose renewals were all missed is never refused as expired, however long after the grace of the cached state', async () => {
    for (let renewals = 0; renewals < 5; renewals++) {
      await pull();
      expect(await decide(optional, leaseId)).toBe(3);
      clock.advance(600_000);
      if (lease) lease = { ...lease, expiresAt: clock.now() + 60_000, renewableUntil: clock.now() + 90_000 };
    }
    await pull();
    expect(await decide(optional, leaseId)).toBe(3);
  });

  test('an expired lease that is requested repeatedly is read once a minute when its grace is over by any clock', async () => {
    clock.advance(90_000 + 60_000);
    await pull();
    expect(await decide(optional, leaseId)).toBe('LEASE_EXPIRED');
    const loads = authority.leases.loadsBegun;
    for (let requests = 0; requests < 1_000; requests++) {
      expect(await decide(optional, leaseId)).toBe('LEASE_EXPIRED');
    }
    expect(authority.leases.loadsBegun).toBe(loads);
    clock.advance(59_999);
    await pull();
    expect(await decide(optional, leaseId)).toBe('LEASE_EXPIRED');
    expect(authority.leases.loadsBegun).toBe(loads);
    clock.advance(1);
    expect(await decide(optional, leaseId)).toBe('LEASE_EXPIRED');
    expect(authority.leases.loadsBegun).toBe(loads + 1);
  });

  test('an expired lease that this process read when its own clock alone said that the grace was over is read again', async () => {
    // This clock is half a minute ahead of the lease service's, which renews after the read.
    clock.advance(90_000);
    await pull();
    expect(await decide(optional, leaseId)).toBe('LEASE_EXPIRED');
    if (lease) lease = { ...lease, expiresAt: clock.now() + 1, renewableUntil: clock.now() + 30_000 };
    expect(await decide(optional, leaseId)).toBe(3);
  });

  test('an expired lease that came from the shared cache is read from its owner, however old it is', async () => {
    const { leases } = authority;
    const old = lease;
    leases.settle(leases.begin(leaseId), new EarlierState(old, clock.monotonic()));
    clock.advance(3_600_000);
    await pull();
    // The feed vouches for it: no change has named it.
    leases.settle(leases.begin(leaseId), new EarlierState(old, clock.monotonic()));
    if (lease) lease = { ...lease, expiresAt: clock.now() + 1, renewableUntil: clock.now() + 30_000 };
    expect(await decide(optional, leaseId)).toBe(3);
  });

  test('with leases off, neither leases nor marks are read', async () => {
    mark = clock.now();
    expect(await decide({ ...optional, leaseMode: 'off' }, leaseId)).toBe(3);
    expect(await decide({ ...optional, leaseMode: 'off' }, null)).toBe(3);
    expect(authority.leases.loadsBegun + authority.marks.loadsBegun).toBe(0);
  });
});

describe('without a lease the marks decide', () => {
  test('a token issued at the time of a mark or before is refused, and one issued after it gets the key', async () => {
    mark = clock.now();
    expect(await decide(optional, null)).toBe('TOKEN_REVOKED');
    expect(await decide(optional, null, { ...viewer, issuedNotBefore: clock.now() + 1 })).toBe(3);
  });

  test('a token that does not say when it was issued counts as issued before any mark', async () => {
    expect(await decide(optional, null, { ...viewer, issuedNotBefore: null })).toBe(3);
    mark = 1;
    authority.marks.clear();
    expect(await decide(optional, null, { ...viewer, issuedNotBefore: null })).toBe('TOKEN_REVOKED');
    expect(await decide(optional, null, { kind: 'anonymous', id: null })).toBe('TOKEN_REVOKED');
  });

  test('a blocked viewer is refused whenever its token was issued, up to the end of the block, without a further read', async () => {
    mark = { markedAt: clock.now(), blockedUntil: clock.now() + 4_000 };
    const later = { ...viewer, issuedNotBefore: clock.now() + 1 };
    clock.advance(3_999);
    await pull();
    for (const principal of [viewer, later, { ...viewer, issuedNotBefore: null }])
      expect(await decide(optional, null, principal)).toBe('VIEWER_BLOCKED');
    clock.advance(1);
    expect(await decide(optional, null, later)).toBe(3);
    expect(await decide(optional, null)).toBe('TOKEN_REVOKED');
    expect(authority.marks.loadsBegun).toBe(1);
  });

  test('a block of a viewer does not concern the keys of an API key', async () => {
    mark = { markedAt: null, blockedUntil: null };
    const key: Principal = {
      kind: 'api-key',
      id: 'k',
      name: 'k',
      scope: 'admin',
      contents: null,
      cacheKey: 'h',
    };
    expect(await decide(optional, null, key)).toBe(3);
  });

  test('where the caches have room for some of the viewers, every viewer gets the key, and those who were revoked are refused', async () => {
    const marks = new Map<string, number>();
    const owners = {
      findContent: async () => content,
      findMark: async (id: string) => marks.get(id) ?? null,
    };
    const opened = openAuthority(clock, owners, planCaches(200_000));
    authority = opened.authority;
    await opened.follower.pull();
    const names = Array.from({ length: 1_000 }, (_, index) => `viewer ${index}`);
    const decideAll = async () => {
      const outcomes = [];
      for (const id of names) outcomes.push(await decide(optional, null, { ...viewer, id }));
      return outcomes;
    };
    expect(new Set(await decideAll())).toEqual(new Set([3]));
    expect(authority.marks.size).toBeLessThan(names.length / 2);
    // The cache has dropped the first viewer, and has the last one.
    for (const [index, viewerId] of ['viewer 0', 'viewer 999'].entries()) {
      marks.set(viewerId, clock.now());
      const change = { kind: 'leases', leaseId: null, viewerId, contentId: null } as const;
      const link = { id: `change ${index}`, previous: index === 0 ? null : `change ${index - 1}` };
      opened.bus.publish({ type: 'change', number: index + 1, at: clock.now(), link, change });
    }
    const refused = (await decideAll()).flatMap((outcome, index) => (outcome === 3 ? [] : [index, outcome]));
    expect(refused).toEqual([0, 'TOKEN_REVOKED', 999, 'TOKEN_REVOKED']);
  });
});
