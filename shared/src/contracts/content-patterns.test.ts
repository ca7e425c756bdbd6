import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createContentPatterns, isContentPattern, isWithinPatterns } from './content-patterns.ts';

test.each(['film', 'acme-*', '*', 'leases-*', 'leases*', `${'a'.repeat(255)}*`, 'a'.repeat(256)])(
  '%s names contents',
  (text) => expect(isContentPattern(text)).toBe(true),
);

test.each([
  ...['', 'leases', '**', '*a', 'a*b', 'a b*', 'a/*', 'a?', 'é*', 'a\n*', `${'a'.repeat(256)}*`],
  `lk_${'0a'.repeat(32)}`,
])('%j names no contents', (text) => expect(isContentPattern(text)).toBe(false));

test('an id or a prefix names exactly the contents that equal it or begin with it', () => {
  const letters = fc.stringMatching(/^[ab_-]{0,4}$/);
  const patterns = fc.array(
    fc
      .oneof(
        letters,
        letters.map((text) => `${text}*`),
      )
      .filter(isContentPattern),
  );
  fc.assert(
    fc.property(patterns, letters, (made, id) => {
      const expected = made.some((each) =>
        each.endsWith('*') ? id.startsWith(each.slice(0, -1)) : id === each,
      );
      expect(createContentPatterns(made).has(id)).toBe(expected && id !== '');
    }),
    { numRuns: 20_000 },
  );
});

test('a text that is not the id of a content is in no contents', () => {
  for (const id of ['', 'leases', 'a/b', 'a*', 'a b'])
    expect(createContentPatterns(['*', 'a*']).has(id)).toBe(false);
});

test('patterns are within others only if those name every content of theirs', () => {
  const letters = fc.stringMatching(/^[ab]{0,3}$/);
  const patterns = fc.array(
    fc
      .oneof(
        letters,
        letters.map((text) => `${text}*`),
      )
      .filter(isContentPattern),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(patterns, patterns, letters, (some, others, id) => {
      if (!isWithinPatterns(some, others)) return;
      if (createContentPatterns(some).has(id)) expect(createContentPatterns(others).has(id)).toBe(true);
    }),
    { numRuns: 20_000 },
  );
  expect(isWithinPatterns(['ab*', 'a'], ['a*'])).toBe(true);
  for (const wider of ['a*', '*', 'b']) expect(isWithinPatterns([wider], ['ab*', 'a'])).toBe(false);
});
