import { type UsageKind, usageKinds, usageRequests } from '../../api/resources.ts';
import { readTime, type Span, type TimeView, writeTime } from '../../state/time-range.ts';
import { type AddressForm, oneOf, toParams } from '../../state/use-address-filter.ts';

export const refusedForms = ['count', 'share'] as const;

const read = (params: URLSearchParams) => ({
  ...readTime(params, '1h'),
  requests: oneOf(params, 'requests', usageRequests) ?? 'keys',
  by: oneOf(params, 'by', usageKinds) ?? 'code',
  /** One series alone; empty for the busiest ones. */
  id: params.get('id') ?? '',
  /** Whether refusals are counted, or shown as a share of the requests. */
  refused: oneOf(params, 'refused', refusedForms) ?? 'count',
});

/** The view that the page shows. It is in the address. */
export type UsageView = ReturnType<typeof read>;

export const usageForm: AddressForm<UsageView> = {
  read,
  write: ({ requests, by, id, refused, ...time }) =>
    toParams({
      ...writeTime(time),
      requests: requests === 'keys' ? null : requests,
      by: by === 'code' ? null : by,
      id,
      refused: refused === 'count' ? null : refused,
    }),
};

/** The page of usage about one content, viewer or API key, at a time. */
export function usageAddress(by: UsageKind, id: string, time: TimeView): string {
  return `/usage?${toParams({ by, id, ...writeTime(time) })}`;
}

/** The dashboard in Grafana, at the same range. */
export function grafanaAddress(url: string, { from, to }: Span): string {
  const address = new URL(url);
  address.searchParams.set('from', String(Math.round(from)));
  address.searchParams.set('to', String(Math.round(to)));
  return address.href;
}
