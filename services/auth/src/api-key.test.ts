import { describe, expect, it } from 'vitest';
import { endOfReplaced, readApiKeyId, toApiKey } from './api-key.ts';

const row = {
  id: '0b8f4d7e-2f5c-4d6a-9f0e-1c2d3e4f5a6b',
  name: 'encoder',
  key_hash: 'f'.repeat(64),
  key_prefix: 'lk_01234567',
  scope: 'upload',
  created_at: 1_000,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

describe('an API key', () => {
  it('an API key is shown with the fields of the contract and without its hash', () => {
    expect(toApiKey(row)).toEqual({
      id: row.id,
      name: 'encoder',
      keyPrefix: 'lk_01234567',
      scope: 'upload',
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      createdAt: '1970-01-01T00:00:01.000Z',
    });
  });

  it.each([
    ['is revoked at once without overlap', null, 0, { expires_at: null, revoked_at: 5_000 }],
    ['keeps its expiry where it is revoked', 9_000, 0, { expires_at: 9_000, revoked_at: 5_000 }],
    ['ends with the overlap', null, 2, { expires_at: 7_000, revoked_at: null }],
    ['never lives longer than it would have', 6_000, 2, { expires_at: 6_000, revoked_at: null }],
  ])('an API key that is replaced %s', (_what, expiresAt, overlapSeconds, end) => {
    expect(endOfReplaced({ expires_at: expiresAt, revoked_at: null }, overlapSeconds, 5_000)).toEqual(end);
  });

  it('an API key is named by its UUID in any case, and by no other text', () => {
    expect(readApiKeyId(row.id.toUpperCase())).toBe(row.id);
    for (const id of [
      '',
      'current2',
      `${row.id}0`,
      `${row.id}\u0000`,
      '../setup',
      row.id.replaceAll('-', ''),
    ]) {
      expect(() => readApiKeyId(id)).toThrow(expect.objectContaining({ code: 'API_KEY_NOT_FOUND' }));
    }
  });
});
