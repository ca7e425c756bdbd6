import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ContentState, hashSecret, type LeaseState } from '../contracts/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import type { KnownState } from './authority-cache.ts';
import { decideBySession } from './decide-by-session.ts';

const leaseId = '5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11';
const secretHash = hashSecret(Buffer.alloc(16, 1));
const now = 1_000_000;
const active: ContentState = { status: 'active', keyVersion: 1, keyPeriods: null };
const live = createLeaseState({
  expiresAt: now + 1_000,
  renewableUntil: now + 2_000,
  session: { secretHash, extendFrom: now },
});
const known = <V>(value: V | null): KnownState<V> => ({ value, loadNumber: 1, heldAtMs: 0, readAtMs: now });

interface Case {
  lease?: LeaseState | null | undefined;
  content?: ContentState | null | undefined;
  contentId?: string | null;
  hash?: string;
  leaseMode?: 'off' | 'optional' | 'required';
  loads?: number;
}

/** The answer of one decision: a code, `open`, or the name of the cache to read. `undefined` is a state that is not known. */
function decide(given: Case): string {
  const { contentId = 'film', hash = secretHash, leaseMode = 'optional', loads = 0 } = given;
  const lease = 'lease' in given ? given.lease : live;
  const content = 'content' in given ? given.content : active;
  const decision = decideBySession(
    {
      session: { leaseId, secretHash: hash },
      contentId,
      leaseMode,
      isServed: (state) => state?.status === 'active',
    },
    {
      leases: { peek: () => (lease === undefined ? undefined : known(lease)) },
      contents: { peek: () => (content === undefined ? undefined : known(content)) },
    },
    now,
    loads,
  );
  if (decision.kind === 'refuse') return decision.code;
  return decision.kind === 'read' ? `read ${decision.unknown.cache}` : 'open';
}

test('a session opens its content, by its name and without one', () => {
  expect(decide({})).toBe('open');
  expect(decide({ contentId: null })).toBe('open');
});

test('a session is refused in the order of decisions: secret, content, state of the content, lease', () => {
  const gone = { ...live, revokedAt: now - 1, expiresAt: now - 1 };
  const others: Case = { contentId: 'other', content: null };
  expect(decide({ ...others, lease: gone, hash: 'f'.repeat(64), leaseMode: 'off' })).toBe('INVALID_SESSION');
  expect(decide({ ...others, lease: undefined })).toBe('read leases');
  expect(decide({ ...others, lease: gone, hash: 'f'.repeat(64) })).toBe('INVALID_SESSION');
  expect(decide({ ...others, lease: gone })).toBe('CONTENT_NOT_ENTITLED');
  expect(decide({ lease: gone, content: undefined })).toBe('read contents');
  expect(decide({ lease: gone, content: null })).toBe('CONTENT_NOT_FOUND');
  expect(decide({ lease: gone })).toBe('LEASE_REVOKED');
  expect(decide({ lease: { ...gone, revokedAt: null }, loads: 0 })).toBe('LEASE_EXPIRED');
});

test('an expired session is read once more, because an extension may have been missed', () => {
  const over = { ...live, expiresAt: now };
  expect(decide({ lease: over, loads: 1 })).toBe('read leases');
  expect(decide({ lease: over, loads: 0 })).toBe('LEASE_EXPIRED');
});

test("a lease that does not exist, a player's lease and a wrong secret get the same answer", () => {
  const { session: _, ...players } = live;
  for (const refused of [{ lease: null }, { lease: players }, { hash: hashSecret(Buffer.alloc(16, 2)) }])
    expect(decide(refused)).toBe('INVALID_SESSION');
});

test('a session opens nothing but its own content, with its own secret, while its lease is active', () => {
  const text = fc.constantFrom('film', 'other', 'x');
  const time = fc.integer({ min: now - 2, max: now + 2 });
  const hash = fc.constantFrom(secretHash, hashSecret(Buffer.alloc(16, 2)));
  const leases = fc.record({
    contentId: text,
    expiresAt: time,
    revokedAt: fc.option(time),
    session: fc.option(fc.record({ secretHash: hash, extendFrom: time }), { nil: undefined }),
  });
  fc.assert(
    fc.property(leases, text, hash, (facts, contentId, presented) => {
      const { session, ...plain } = facts;
      const lease = createLeaseState(session ? { ...plain, session } : plain);
      const mayOpen =
        session?.secretHash === presented &&
        lease.contentId === contentId &&
        lease.revokedAt === null &&
        lease.expiresAt > now;
      expect(decide({ lease, contentId, hash: presented }) === 'open').toBe(mayOpen);
    }),
    { numRuns: 500 },
  );
});
