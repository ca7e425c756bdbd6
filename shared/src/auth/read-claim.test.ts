import { expect, test } from 'vitest';
import { readClaim } from './read-claim.ts';

/** As tokens carry it: `__proto__` of JSON is an own member. */
const claims = JSON.parse(`{
  "films": "a",
  "https://example.com/films": "b",
  "app_metadata.content_ids": "literal",
  "app_metadata": { "content_ids": ["x"], "empty": null, "plan": "gold", "rights": [{ "id": "r0" }, { "id": "r1" }] },
  "a/b": "slash",
  "m~n": "tilde",
  "m~1": "escaped",
  "": { "": "empty" }
}`) as object;

test.each([
  ['films', 'a'],
  ['https://example.com/films', 'b'],
  ['/app_metadata/content_ids', ['x']],
  ['/app_metadata/rights/1/id', 'r1'],
  ['/app_metadata/empty', null],
  ['/https:~1~1example.com~1films', 'b'],
  ['/a~1b', 'slash'],
  ['/m~0n', 'tilde'],
  ['/m~01', 'escaped'],
  ['//', 'empty'],
])('the claim %s is found', (path, value) => expect(readClaim(claims, path)).toEqual(value));

test.each([
  'app_metadata/content_ids',
  '/other',
  '/app_metadata/other/deeper',
  '/app_metadata/empty/deeper',
  '/films/length',
  '/app_metadata/rights/length',
  '/app_metadata/rights/-',
  '/app_metadata/rights/01',
  '/app_metadata/rights/map',
  '/app_metadata/plan/',
  '/a/b',
])('the claim %s is not found', (path) => expect(readClaim(claims, path)).toBeUndefined());

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
  'no path reaches %s, which objects inherit',
  (name) => {
    for (const path of [name, `/${name}`, `/${name}/name`, `/app_metadata/${name}`, `/films/${name}`])
      expect(readClaim(claims, path), path).toBeUndefined();
  },
);

test('a member of a token with the name __proto__ is a claim like others', () => {
  const hostile = JSON.parse('{"__proto__":{"films":"own"}}') as object;
  expect(readClaim(hostile, '/__proto__/films')).toBe('own');
  expect(readClaim(hostile, 'films')).toBeUndefined();
});
