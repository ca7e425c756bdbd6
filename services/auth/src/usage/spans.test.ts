import { expect, test } from 'vitest';
import { purgedBefore, resolutionOf } from './spans.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const now = Date.UTC(2027, 0, 31, 12, 34);
const retention = { days: 30, minutesHours: 48 };
const resolve = (rangeMs: number, agoMs = 0, kept = retention) =>
  resolutionOf({ from: now - agoMs - rangeMs, to: now - agoMs }, kept, now);

test.each([
  [6 * hourMs, 60, minuteMs],
  [6 * hourMs + 1, 600, 10 * minuteMs],
  [48 * hourMs, 600, 10 * minuteMs],
  [48 * hourMs + 1, 3_600, hourMs],
  [15 * dayMs, 3_600, hourMs],
  [15 * dayMs + 1, 3_600, 2 * hourMs],
  [30 * dayMs, 3_600, 2 * hourMs],
])('a range of %d ms is read by rows of %d s in steps of %d ms', (rangeMs, span, stepMs) => {
  expect(resolve(rangeMs)).toMatchObject({ span, stepMs });
  expect(rangeMs / stepMs).toBeLessThanOrEqual(361);
});

test('an hour of three days ago is read by hours, because its minutes are gone', () => {
  expect(resolve(hourMs, 46 * hourMs)).toMatchObject({ span: 60 });
  expect(resolve(hourMs, 72 * hourMs)).toMatchObject({ span: 3_600, stepMs: hourMs });
});

test('minutes are never kept for longer than hours', () => {
  expect(resolve(hourMs, 30 * hourMs, { days: 1, minutesHours: 48 })).toMatchObject({ span: 3_600 });
});

test('a step that is shown is whole: its rows are purged only after its end is out of range', () => {
  for (const span of [60, 600, 3_600] as const) {
    const kept = span === 3_600 ? 30 * dayMs : 48 * hourMs;
    expect(now - kept - purgedBefore(span, retention, now)).toBeGreaterThanOrEqual(2 * hourMs);
  }
});

test('a retention of 0 days removes the counts of this very millisecond', () => {
  expect(purgedBefore(60, { days: 0, minutesHours: 48 }, now)).toBeGreaterThan(now);
});
