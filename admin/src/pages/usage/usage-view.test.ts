import { expect, it } from 'vitest';
import {
  fit,
  grafanaAddress,
  mayZoom,
  shift,
  spanOf,
  usageAddress,
  usageForm,
  viewOf,
  zoomIn,
  zoomOut,
} from './usage-view.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const now = Date.UTC(2027, 0, 31, 12);
const read = (query: string) => usageForm.read(new URLSearchParams(query));

it('an address without parameters shows the refusals of key requests of the last hour', () => {
  expect(read('')).toEqual({ range: '1h', zoomed: null, requests: 'keys', by: 'code', id: '' });
});

it.each([
  '',
  'range=7d',
  'range=6h&requests=leases&by=viewer&id=a%26b',
  'from=2027-01-30T00:00:00.000Z&to=2027-01-31T00:00:00.000Z',
])('the view of %o is the same after it was written into an address', (query) => {
  const view = read(query);
  expect(read(String(usageForm.write(view)))).toEqual(view);
});

it.each([
  'range=2h&by=address&requests=uploads',
  'from=yesterday&to=today',
  'from=2027-01-30T00:00:00Z&to=2027-01-30T00:14:59Z',
  'from=2027-01-01T00:00:00Z&to=2027-01-31T00:00:01Z',
])('unknown values of an address are ignored: %s', (query) => {
  expect(read(query)).toEqual(read(''));
});

it('a range ends now, and a zoomed one where it was left', () => {
  expect(spanOf(read('range=15m'), now)).toEqual({ from: now - 15 * minuteMs, to: now });
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

it('a range that is moved to now goes on by itself if it has a usual length, and stays where it is otherwise', () => {
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

it('the link to Grafana has the range, and keeps what the URL had', () => {
  expect(grafanaAddress('https://grafana.example/d/x?var-a=b', { from: 1_000.4, to: 2_000 })).toBe(
    'https://grafana.example/d/x?var-a=b&from=1000&to=2000',
  );
});

it('the address about a viewer takes any ID', () => {
  expect(read(usageAddress('viewer', 'a&b=c d').split('?')[1] ?? '')).toMatchObject({
    by: 'viewer',
    id: 'a&b=c d',
    range: '24h',
  });
});
