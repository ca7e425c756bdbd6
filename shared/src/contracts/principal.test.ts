import { expect, test } from 'vitest';
import { isHeldByMark, type Principal } from './principal.ts';

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

test.each([
  ['a token from before it', true, viewer(99)],
  ['a token of the same millisecond', true, viewer(100)],
  ['a token from after it', false, viewer(101)],
  ['a token of unknown age', true, viewer()],
  ['an anonymous viewer', true, anonymous],
  ['an API key', false, apiKey],
])('a mark holds against %s: %s', (_who, expected, principal) => {
  expect(isHeldByMark(principal as Principal, 100)).toBe(expected);
  expect(isHeldByMark(principal as Principal, null)).toBe(false);
});
