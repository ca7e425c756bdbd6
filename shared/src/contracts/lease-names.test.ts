import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeSelector, type LeaseSelector, quoteId } from './lease-names.ts';

/** Any text, with halves of surrogate pairs. fast-check's own takes two seconds to make its table of characters. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 5 })
  .map((points) => String.fromCodePoint(...points));

/** Parts of texts that look like the parts of a target, and characters that end or hide one. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[' content:film', 'viewer:', 'content:', ' ', ':', '"', '\\', '\\"', ',', '\n', '\r\n', '\0'],
      ),
      fc.constantFrom(
        ...['\u00a0', '\u2028', '\u202e', '\ud800', '\udc00', '😀', 'é', 'e\u0301', '%20', '***', '=', '@'],
      ),
      anyText,
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const selectors: fc.Arbitrary<LeaseSelector> = fc
  .record({
    viewerId: fc.option(fc.oneof(hostile, anyText)),
    contentId: fc.option(fc.oneof(hostile, fc.constant('film'))),
  })
  .filter(({ viewerId, contentId }) => viewerId !== null || contentId !== null);

test('two selectors never have the same text, whatever characters their ids have', () => {
  const parted = fc
    .tuple(selectors, selectors.map(describeSelector), fc.nat())
    .map(([selector, text, at]) => {
      // Other selectors, made of two pieces of one text. They could be mistaken for its selector.
      const cut = at % (text.length + 1);
      return [selector, { viewerId: text.slice(0, cut), contentId: text.slice(cut) }] as const;
    });
  const pairs = fc.oneof(fc.tuple(selectors, selectors), parted);
  fc.assert(
    fc.property(pairs, ([one, other]) => {
      const isSame = one.viewerId === other.viewerId && one.contentId === other.contentId;
      expect(describeSelector(one) === describeSelector(other)).toBe(isSame);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  [{ viewerId: 'ada', contentId: null }, 'viewer:ada'],
  [{ viewerId: null, contentId: 'film' }, 'content:film'],
  [{ viewerId: 'auth0|5f:a@b.c/é', contentId: 'film' }, 'viewer:auth0|5f:a@b.c/é content:film'],
  [{ viewerId: 'eve content:film', contentId: null }, 'viewer:"eve content:film"'],
  [{ viewerId: 'x viewer:ada', contentId: 'film' }, 'viewer:"x viewer:ada" content:film'],
  [{ viewerId: 'a","viewerId":"ada', contentId: null }, 'viewer:"a\\",\\"viewerId\\":\\"ada"'],
])('the target of %j is %s', (selector, text) => {
  expect(describeSelector(selector)).toBe(text);
});

test('an id that is not plain is quoted, and a plain one is as it was', () => {
  expect([quoteId('2026-01-01T00:00:00.000Z'), quoteId('a b'), quoteId('')]).toEqual([
    '2026-01-01T00:00:00.000Z',
    '"a b"',
    '""',
  ]);
});
