import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../api/schema.ts';
import { expiryOf, isInUse, isLastManager, statusOf } from './api-key-rules.ts';

const now = Date.UTC(2026, 0, 15, 12);
const day = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const key: ApiKey = {
  id: 'k',
  name: 'Key',
  keyPrefix: 'lk_00000000',
  scope: 'admin',
  contents: null,
  createdAt: at(now - day),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  metadata: {},
};

describe('the status of a key', () => {
  it.each([
    [{}, 'active'],
    [{ expiresAt: at(now + 15 * day) }, 'active'],
    [{ expiresAt: at(now + 14 * day) }, 'expiring'],
    [{ expiresAt: at(now) }, 'expired'],
    [{ expiresAt: at(now - 1), revokedAt: at(now - day) }, 'revoked'],
  ] as const)('a key with the fields %j has the status %s', (fields, status) => {
    expect(statusOf({ ...key, ...fields }, now)).toBe(status);
  });
});

describe('when a new key ends', () => {
  it('a new key expires after some days, never, or at the end of a chosen day that is not over', () => {
    expect(expiryOf('30', '', now)).toBe(at(now + 30 * day));
    expect(expiryOf('never', '', now)).toBeNull();
    expect(expiryOf('date', '2026-02-01', now)).toBe(new Date('2026-02-01T23:59:59.999').toISOString());
    expect([expiryOf('date', '2026-01-01', now), expiryOf('date', '', now)]).toEqual(['', '']);
  });
});

it('a key that was used within a day counts as in use', () => {
  expect([isInUse(at(now - day + 1), now), isInUse(at(now - day), now), isInUse(null, now)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('the last key that can manage is recognised once the list is read', () => {
  const other = { ...key, id: 'other' };
  expect(isLastManager(key, undefined)).toBeNull();
  expect(isLastManager(key, [key])).toBe(true);
  expect(isLastManager(key, [key, other])).toBe(false);
  expect(isLastManager({ ...key, scope: 'upload' }, [other])).toBe(false);
});
