import { type AddressForm, oneOf, toParams } from './use-address-filter.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Ranges that end now. */
export const rangeLengths = {
  '15m': { ms: 15 * minuteMs, label: '15 minutes' },
  '1h': { ms: hourMs, label: '1 hour' },
  '6h': { ms: 6 * hourMs, label: '6 hours' },
  '24h': { ms: dayMs, label: '24 hours' },
  '7d': { ms: 7 * dayMs, label: '7 days' },
  '30d': { ms: 30 * dayMs, label: '30 days' },
};
export type Range = keyof typeof rangeLengths;
export const ranges = Object.keys(rangeLengths) as Range[];

/** As the server has them. */
const shortestMs = 15 * minuteMs;
const longestMs = 30 * dayMs;

/** A range with two fixed ends, in milliseconds since 1970. */
export interface Span {
  from: number;
  to: number;
}

/** The time that a page shows. It is in the address. */
export interface TimeView {
  range: Range;
  /** Takes the place of the range. */
  zoomed: Span | null;
}

/** @param usual the range without parameters */
export function readTime(params: URLSearchParams, usual: Range): TimeView {
  return {
    range: oneOf(params, 'range', ranges) ?? usual,
    zoomed: readSpan(params.get('from') ?? '', params.get('to') ?? ''),
  };
}

export function writeTime({ range, zoomed }: TimeView): Record<string, string | null> {
  return {
    range,
    from: zoomed && new Date(zoomed.from).toISOString(),
    to: zoomed && new Date(zoomed.to).toISOString(),
  };
}

/** The time alone, in an address with parameters of other parts of the page. */
export function timeForm(usual: Range): AddressForm<TimeView & { others: URLSearchParams }> {
  return {
    read: (params) => ({ ...readTime(params, usual), others: params }),
    write: ({ others, ...view }) => toParams({ ...Object.fromEntries(others), ...writeTime(view) }),
  };
}

/** Null for what the server would refuse. */
export function readSpan(from: string, to: string): Span | null {
  const span = { from: Date.parse(from), to: Date.parse(to) };
  const length = span.to - span.from;
  return length >= shortestMs && length <= longestMs ? span : null;
}

/** The shown range at a time. */
export function spanOf({ range, zoomed }: TimeView, now: number): Span {
  return zoomed ?? { from: now - rangeLengths[range].ms, to: now };
}

/** A range of a length that the server takes, around the same middle, and not in the future. */
export function fit({ from, to }: Span, now: number): Span {
  const length = Math.round(Math.min(longestMs, Math.max(shortestMs, to - from)));
  const end = Math.min(now, Math.round((from + to) / 2 + length / 2));
  return { from: end - length, to: end };
}

/** Half of the range, around the cursor or the middle. */
export function zoomIn({ from, to }: Span, cursor: number | null, now: number): Span {
  const middle = cursor ?? (from + to) / 2;
  const quarter = (to - from) / 4;
  return fit({ from: middle - quarter, to: middle + quarter }, now);
}

/** Twice the range. */
export function zoomOut({ from, to }: Span, now: number): Span {
  const half = (to - from) / 2;
  return fit({ from: from - half, to: to + half }, now);
}

/** Half of a range earlier (-1) or later (1). */
export function shift({ from, to }: Span, direction: -1 | 1, now: number): Span {
  const by = ((to - from) / 2) * direction;
  return fit({ from: from + by, to: to + by }, now);
}

/** The view of a range. One that ends now and has a usual length goes on by itself, as if it were chosen. */
export function viewOf(span: Span, now: number): Partial<TimeView> {
  // The present minute is not over, so a range that ends within it shows the same.
  const endsNow = now - span.to < minuteMs;
  const range = ranges.find((each) => rangeLengths[each].ms === span.to - span.from);
  return endsNow && range ? { range, zoomed: null } : { zoomed: span };
}

/** Whether a shorter or a longer range can be read. */
export function mayZoom({ from, to }: Span): { isInOk: boolean; isOutOk: boolean } {
  return { isInOk: to - from > shortestMs, isOutOk: to - from < longestMs };
}
