import type { Authority, KnownStates } from '@latchkey/shared/authority';
import { type ContentState, hashSecret, type LeaseState, type Principal } from '@latchkey/shared/contracts';
import { createLeaseState } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { decideKeyRequest, type KeyRules } from './decide-key-request.ts';

const leaseId = '5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11';
const now = 1_000_000;
const film = { mode: 'sequence', count: 2, periodSeconds: 10, burst: 8, speed: 2, pace: true } as const;
const optional: KeyRules = { contentMode: 'registered', leaseMode: 'optional' };
const secretHash = hashSecret(Buffer.alloc(16, 1));
const holder: Principal = { kind: 'session', id: leaseId, session: { leaseId, secretHash } };
const lease: LeaseState = createLeaseState({
  viewerId: 'ada',
  expiresAt: now + 1,
  session: { secretHash, extendFrom: now },
});
const content: ContentState = { status: 'active', keyVersion: 3, keyPeriods: null };

const known = <V>(value: V) => ({ value, loadNumber: 1, heldAtMs: 0, readAtMs: now });

/** Only the lease and the content are known: a decision that needs more fails. */
function decide(
  rules: KeyRules,
  request: { named?: string; contentId?: string; epoch?: number } = {},
  state = content,
) {
  const states: Partial<KnownStates> = {
    leases: { peek: () => known(lease) },
    contents: { peek: () => known(state) },
  };
  const { named = null, contentId = 'film', epoch } = request;
  const asked = { principal: holder, contentId, epoch, leaseId: named };
  return decideKeyRequest(asked, states as Authority, rules, now, 0);
}

test('a session gets the key of its content by its lease alone, whatever the lease mode and the marks', () => {
  const served = {
    kind: 'serve',
    keyVersion: 3,
    wrappedKey: null,
    viewerId: 'ada',
    session: lease,
    paced: null,
  };
  expect(decide(optional)).toEqual(served);
  expect(decide({ ...optional, leaseMode: 'required' }, { named: 'a lease of its own' })).toEqual(served);
});

test('a session gets no key of another content, and no key at all if there are no leases', () => {
  expect(decide(optional, { contentId: 'other' })).toEqual({ kind: 'refuse', code: 'CONTENT_NOT_ENTITLED' });
  expect(decide({ ...optional, leaseMode: 'off' })).toEqual({ kind: 'refuse', code: 'INVALID_SESSION' });
});

test("a session has the pace of its lease's viewer, and key periods hold for it", () => {
  const periods = { ...content, keyPeriods: film };
  expect(decide(optional, { epoch: 1 }, periods)).toEqual({
    kind: 'serve',
    keyVersion: 3,
    wrappedKey: null,
    viewerId: 'ada',
    session: lease,
    paced: film,
  });
  expect(decide(optional, { epoch: 2 }, periods)).toMatchObject({ kind: 'refuse', code: 'EPOCH_NOT_FOUND' });
});
