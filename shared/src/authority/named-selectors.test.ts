import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NamedSelectors } from './named-selectors.ts';

const viewers = ['v0', 'v1', 'v2'] as const;
const contents = ['c0', 'c1', 'c2'] as const;
const selector = fc
  .record({
    viewerId: fc.constantFrom(...viewers, null),
    contentId: fc.constantFrom(...contents, null),
  })
  .filter(({ viewerId, contentId }) => viewerId !== null || contentId !== null);

test('a viewer’s state of a content counts as named wherever a selector that covers it was named since, however few names are kept', () => {
  fc.assert(
    fc.property(
      fc.array(selector, { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(40),
      (selectors, capacity, since) => {
        const named = new NamedSelectors(capacity);
        selectors.forEach(({ viewerId, contentId }, i) => void named.name(viewerId, contentId, i + 1));
        for (const viewer of viewers) {
          for (const content of contents) {
            const covers = selectors.some(
              ({ viewerId, contentId }, i) =>
                i + 1 > since && (viewerId ?? viewer) === viewer && (contentId ?? content) === content,
            );
            if (covers) expect(named.namedSince(viewer, content, since)).toBe(true);
          }
        }
      },
    ),
  );
});

test('while every name is kept, nothing counts as named that was not', () => {
  const named = new NamedSelectors(10);
  named.name('v0', null, 1);
  named.name(null, 'c1', 2);
  named.name('v2', 'c2', 3);
  const since = (step: number) =>
    viewers.map((viewer) => contents.map((content) => named.namedSince(viewer, content, step)));
  expect(since(0)).toEqual([
    [true, true, true],
    [false, true, false],
    [false, true, true],
  ]);
  expect(since(2)).toEqual([
    [false, false, false],
    [false, false, false],
    [false, false, true],
  ]);
  expect(since(3).flat()).not.toContain(true);
});

test('a state that is judged after each change is not lost when old names are forgotten', () => {
  const named = new NamedSelectors(10);
  let judgedAt = 0;
  for (let step = 1; step <= 1_000; step++) {
    named.name(`stranger ${step}`, null, step);
    expect(named.namedSince('v0', 'c0', judgedAt)).toBe(false);
    judgedAt = step;
  }
  // One that was last judged before all of that counts as named: nobody knows any more.
  expect(named.namedSince('v0', 'c0', 900)).toBe(true);
});
