import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeSelector, type LeaseSelector, quoteId, readSelector } from './lease-names.ts';

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

test('each selector is read back as it was, whatever characters its ids have', () => {
  fc.assert(
    fc.property(selectors, (selector) => {
      expect(readSelector(describeSelector(selector))).toEqual(selector);
    }),
    { numRuns: 5_000 },
  );
});

test('a text that is read as a selector is the only text of this selector', () => {
  const texts = fc.oneof(hostile, selectors.map(describeSelector)).chain((text) =>
    fc.oneof(
      fc.constant(text),
      fc.nat(text.length).map((at) => `${text.slice(0, at)} ${text.slice(at)}`),
      fc.nat(text.length).map((at) => text.slice(0, at) + text.slice(at + 1)),
    ),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const read = readSelector(text);
      if (read) expect(describeSelector(read)).toBe(text);
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
  expect(readSelector(text)).toEqual(selector);
});

test.each([
  '5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11',
  '',
  'viewer:',
  'viewer:ada of nowhere',
  'viewer:"ada"',
  'viewer:"ada',
  'viewer:ada  content:film',
  'content:film viewer:ada',
  'viewer:"\\q"',
])('%j is the text of no selector', (text) => {
  expect(readSelector(text)).toBeNull();
});

test('an id that is not plain is quoted, and a plain one is as it was', () => {
  expect([quoteId('2026-01-01T00:00:00.000Z'), quoteId('a b'), quoteId('')]).toEqual([
    '2026-01-01T00:00:00.000Z',
    '"a b"',
    '""',
  ]);
});
