import { expect, test } from 'vitest';
import { isEntitled, isHeldByMark, type Principal } from './principal.ts';

const apiKey: Principal = { kind: 'api-key', id: 'k', name: 'n', scope: 'playback', cacheKey: 'h' };
const anonymous: Principal = { kind: 'anonymous', id: null };
const viewer = (facts: { issuedNotBefore?: number | null; contents?: string[] } = {}): Principal => ({
  kind: 'viewer',
  id: 'ann',
  issuedNotBefore: facts.issuedNotBefore ?? null,
  contents: facts.contents ? new Set(facts.contents) : null,
  mayUpload: false,
});

test.each([
  ['an API key', true, apiKey],
  ['an anonymous viewer', true, anonymous],
  ['a viewer whose token does not name contents', true, viewer()],
  ['a viewer whose token names it', true, viewer({ contents: ['series', 'film'] })],
  ['a viewer whose token names others', false, viewer({ contents: ['series'] })],
  ['a viewer whose token names none', false, viewer({ contents: [] })],
])('%s may have the content: %s', (_who, expected, principal) => {
  expect(isEntitled(principal as Principal, 'film')).toBe(expected);
});

test.each([
  ['a token from before it', true, viewer({ issuedNotBefore: 99 })],
  ['a token of the same millisecond', true, viewer({ issuedNotBefore: 100 })],
  ['a token from after it', false, viewer({ issuedNotBefore: 101 })],
  ['a token of unknown age', true, viewer()],
  ['an anonymous viewer', true, anonymous],
  ['an API key', false, apiKey],
])('a mark holds against %s: %s', (_who, expected, principal) => {
  expect(isHeldByMark(principal as Principal, 100)).toBe(expected);
  expect(isHeldByMark(principal as Principal, null)).toBe(false);
});
