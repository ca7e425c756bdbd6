import { expect, it } from 'vitest';
import { endOfReplaced } from './api-key.ts';

it.each([
  ['is revoked at once without overlap', null, 0, { expires_at: null, revoked_at: 5_000 }],
  ['keeps its expiry when it is revoked', 9_000, 0, { expires_at: 9_000, revoked_at: 5_000 }],
  ['ends with the overlap', null, 2, { expires_at: 7_000, revoked_at: null }],
  ['never lives longer than it would have', 6_000, 2, { expires_at: 6_000, revoked_at: null }],
])('an API key that is replaced %s', (_what, expiresAt, overlapSeconds, end) => {
  expect(endOfReplaced({ expires_at: expiresAt, revoked_at: null }, overlapSeconds, 5_000)).toEqual(end);
});
