import { expect, it } from 'vitest';
import { fit, mayZoom, readTime, shift, spanOf, timeForm, viewOf, zoomIn, zoomOut } from './time-range.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const now = Date.UTC(2027, 0, 31, 12);

it.each([
  'range=2h',
  'from=yesterday&to=today',
  'from=2027-01-30T00:00:00Z&to=2027-01-30T00:14:59Z',
  'from=2027-01-01T00:00:00Z&to=2027-01-31T00:00:01Z',
])('a time that the server would refuse is ignored: %s', (query) => {
  expect(readTime(new URLSearchParams(query), '24h')).toEqual({ range: '24h', zoomed: null });
});

it('the time of a page is written next to its other parameters', () => {
  const form = timeForm('24h');
  const { others, ...view } = form.read(new URLSearchParams('viewer=a%26b&range=7d'));
  expect(view).toEqual({ range: '7d', zoomed: null });
  const zoomed = { from: now - hourMs, to: now };
  const written = form.write({ others, ...view, zoomed });
  expect([...written.keys()]).toEqual(['viewer', 'range', 'from', 'to']);
  expect(written.get('viewer')).toBe('a&b');
  expect(form.read(written).zoomed).toEqual(zoomed);
});

it('a range ends now, and a zoomed range keeps its end', () => {
  expect(spanOf({ range: '15m', zoomed: null }, now)).toEqual({ from: now - 15 * minuteMs, to: now });
  const zoomed = { from: now - 2 * hourMs, to: now - hourMs };
  expect(spanOf({ range: '15m', zoomed }, now)).toEqual(zoomed);
});

it('zooming in halves the range around the cursor, down to 15 minutes', () => {
  const hour = { from: now - 2 * hourMs, to: now - hourMs };
  expect(zoomIn(hour, null, now)).toEqual({ from: now - 105 * minuteMs, to: now - 75 * minuteMs });
  expect(zoomIn(hour, now - 90 * minuteMs, now)).toEqual(zoomIn(hour, null, now));
  const least = { from: now - 15 * minuteMs, to: now };
  expect(zoomIn(least, null, now)).toEqual(least);
  expect(mayZoom(least)).toEqual({ isInOk: false, isOutOk: true });
});

it('zooming out doubles the range, up to 30 days, and never shows the future', () => {
  const hour = { from: now - hourMs, to: now };
  expect(zoomOut(hour, now)).toEqual({ from: now - 2 * hourMs, to: now });
  const most = { from: now - 30 * dayMs, to: now };
  expect(zoomOut(most, now)).toEqual(most);
  expect(mayZoom(most)).toEqual({ isInOk: true, isOutOk: false });
});

it('earlier and later move by half of the range, and later ends now', () => {
  const hour = { from: now - 2 * hourMs, to: now - hourMs };
  expect(shift(hour, -1, now)).toEqual({ from: now - 2.5 * hourMs, to: now - 1.5 * hourMs });
  expect(shift(shift(hour, 1, now), 1, now)).toEqual({ from: now - hourMs, to: now });
  expect(shift({ from: now - hourMs, to: now }, 1, now)).toEqual({ from: now - hourMs, to: now });
});

it('a range that is moved to now follows the clock if it has a usual length, and stays unchanged otherwise', () => {
  const hour = { from: now - 2 * hourMs, to: now - hourMs };
  expect(viewOf(hour, now)).toEqual({ zoomed: hour });
  // Seconds have passed since the range was moved away from now.
  const moved = shift(shift({ from: now - hourMs, to: now }, -1, now), 1, now + 30_000);
  expect(viewOf(moved, now + 30_000)).toEqual({ range: '1h', zoomed: null });
  const odd = { from: now - 2 * hourMs, to: now };
  expect(viewOf(odd, now)).toEqual({ zoomed: odd });
});

it('a dragged range of a minute becomes 15 minutes around it', () => {
  const dragged = { from: now - 61 * minuteMs, to: now - 60 * minuteMs };
  expect(fit(dragged, now)).toEqual({ from: now - 68 * minuteMs, to: now - 53 * minuteMs });
});
