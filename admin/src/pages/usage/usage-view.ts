import { type UsageKind, type UsageRequests, usageKinds, usageRequests } from '../../api/resources.ts';
import { type AddressForm, oneOf, toParams } from '../../state/use-address-filter.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Ranges that end now. */
export const ranges = ['15m', '1h', '6h', '24h', '7d', '30d'] as const;
export type Range = (typeof ranges)[number];

export const rangeLengths: Record<Range, { ms: number; label: string }> = {
  '15m': { ms: 15 * minuteMs, label: '15 minutes' },
  '1h': { ms: hourMs, label: '1 hour' },
  '6h': { ms: 6 * hourMs, label: '6 hours' },
  '24h': { ms: dayMs, label: '24 hours' },
  '7d': { ms: 7 * dayMs, label: '7 days' },
  '30d': { ms: 30 * dayMs, label: '30 days' },
};

/** As the server has them. */
const shortestMs = 15 * minuteMs;
const longestMs = 30 * dayMs;

/** A range with two fixed ends, in milliseconds since 1970. */
export interface Span {
  from: number;
  to: number;
}

/** What the page shows. It is in the address. */
export interface UsageView {
  range: Range;
  /** Takes the place of the range. */
  zoomed: Span | null;
  requests: UsageRequests;
  by: UsageKind;
  /** One series alone; empty for the busiest ones. */
  id: string;
}

function read(params: URLSearchParams): UsageView {
  return {
    range: oneOf(params, 'range', ranges) ?? '1h',
    zoomed: readSpan(params.get('from'), params.get('to')),
    requests: oneOf(params, 'requests', usageRequests) ?? 'keys',
    by: oneOf(params, 'by', usageKinds) ?? 'code',
    id: params.get('id') ?? '',
  };
}

function write({ range, zoomed, requests, by, id }: UsageView): URLSearchParams {
  return toParams({
    range: zoomed ? null : range,
    from: zoomed && new Date(zoomed.from).toISOString(),
    to: zoomed && new Date(zoomed.to).toISOString(),
    requests: requests === 'keys' ? null : requests,
    by: by === 'code' ? null : by,
    id,
  });
}

export const usageForm: AddressForm<UsageView> = { read, write };

/** The page of usage about one content, viewer or API key. */
export function usageAddress(by: UsageKind, id: string): string {
  return `/usage?${toParams({ by, id, range: '24h' })}`;
}

/** Null for what the server would refuse. */
function readSpan(from: string | null, to: string | null): Span | null {
  const span = { from: Date.parse(from ?? ''), to: Date.parse(to ?? '') };
  const length = span.to - span.from;
  return length >= shortestMs && length <= longestMs ? span : null;
}

/** The shown range at a time. */
export function spanOf({ range, zoomed }: Pick<UsageView, 'range' | 'zoomed'>, now: number): Span {
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
export function viewOf(
  span: Span,
  now: number,
): Pick<UsageView, 'zoomed'> & Partial<Pick<UsageView, 'range'>> {
  // The present minute is not over, so a range that ends within it shows the same.
  const endsNow = now - span.to < minuteMs;
  const range = ranges.find((each) => rangeLengths[each].ms === span.to - span.from);
  return endsNow && range ? { range, zoomed: null } : { zoomed: span };
}

/** Whether a shorter or a longer range can be read. */
export function mayZoom({ from, to }: Span): { isInOk: boolean; isOutOk: boolean } {
  return { isInOk: to - from > shortestMs, isOutOk: to - from < longestMs };
}

/** The dashboard in Grafana, at the same range. */
export function grafanaAddress(url: string, { from, to }: Span): string {
  const address = new URL(url);
  address.searchParams.set('from', String(Math.round(from)));
  address.searchParams.set('to', String(Math.round(to)));
  return address.href;
}
