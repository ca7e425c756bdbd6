import { expect, test } from 'vitest';
import { findMarkRefusal } from './mark-state.ts';
import type { Principal } from './principal.ts';

const apiKey: Principal = {
  kind: 'api-key',
  id: 'k',
  name: 'n',
  scope: 'playback',
  contents: null,
  cacheKey: 'h',
};
const anonymous: Principal = { kind: 'anonymous', id: null };
const viewer = (issuedNotBefore: number | null = null): Principal => ({
  kind: 'viewer',
  id: 'ann',
  issuedNotBefore,
  contents: null,
  mayUpload: false,
});

test.each<[string, boolean, Principal]>([
  ['a token from before it', true, viewer(99)],
  ['a token of the same millisecond', true, viewer(100)],
  ['a token from after it', false, viewer(101)],
  ['a token of unknown age', true, viewer()],
  ['an anonymous viewer', true, anonymous],
  ['an API key', false, apiKey],
])('a mark holds against %s: %s', (_who, expected, principal) => {
  const refusal = expected ? 'TOKEN_REVOKED' : null;
  expect(findMarkRefusal(principal, 100, 200)).toBe(refusal);
  expect(findMarkRefusal(principal, { markedAt: 100, blockedUntil: 200 }, 200)).toBe(refusal);
  expect(findMarkRefusal(principal, null, 200)).toBeNull();
});

test('a block holds against every token and API key, up to its last millisecond, with and without a mark', () => {
  for (const principal of [viewer(0), viewer(500), viewer(), anonymous, apiKey])
    for (const markedAt of [null, 100]) {
      expect(findMarkRefusal(principal, { markedAt, blockedUntil: null }, 1e15)).toBe('VIEWER_BLOCKED');
      expect(findMarkRefusal(principal, { markedAt, blockedUntil: 400 }, 399)).toBe('VIEWER_BLOCKED');
    }
  expect(findMarkRefusal(viewer(0), { markedAt: null, blockedUntil: 400 }, 400)).toBeNull();
});
