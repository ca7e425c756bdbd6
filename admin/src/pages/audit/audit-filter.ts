import { useInterval } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, type QueryOf, reading } from '../../api/api.ts';
import { auditOrders, auditOutcomes } from '../../api/resources.ts';
import type { AuditRecord } from '../../api/schema.ts';
import { pageSize } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import { type ChangeFilter, oneOf, toParams, useAddressFilter } from '../../state/use-address-filter.ts';
import { useEagerQuery } from '../../state/use-eager-query.ts';
import { useLiveRefresh } from '../../state/use-events.ts';

/** What the server filters by. */
export type AuditFilter = Pick<
  QueryOf<'/api/v1/audit'>,
  'action' | 'actor' | 'outcome' | 'target' | 'from' | 'to'
>;
type AuditOrder = (typeof auditOrders)[number];

/** The filter of the table and of an export. */
export interface AuditView {
  actor: string;
  target: string;
  /** Empty for all actions. */
  action: string;
  outcome: (typeof auditOutcomes)[number] | null;
  /** ISO 8601 in UTC, so that the address means the same everywhere; empty for no limit. */
  from: string;
  to: string;
  /** Null for newest first. */
  sort: AuditOrder | null;
}

export const everything: AuditView = {
  actor: '',
  target: '',
  action: '',
  outcome: null,
  from: '',
  to: '',
  sort: null,
};

/** The form that the server accepts. */
const actionPattern = /^[a-z.-]{1,64}$/;

/** Reads the filter from the query of an address. */
export function readView(params: URLSearchParams): AuditView {
  const action = params.get('action') ?? '';
  return {
    actor: params.get('actor') ?? '',
    target: params.get('target') ?? '',
    action: actionPattern.test(action) ? action : '',
    outcome: oneOf(params, 'outcome', auditOutcomes),
    from: instantOf(params.get('from')),
    to: instantOf(params.get('to')),
    sort: oneOf(params, 'sort', auditOrders),
  };
}

export function writeView({ actor, target, action, outcome, from, to, sort }: AuditView): URLSearchParams {
  return toParams({ actor, target, action, outcome, from, to, sort });
}

/** The request for the server. Pasted IDs often have spaces around them. */
export function toAuditFilter({ actor, target, action, outcome, from, to }: AuditView): AuditFilter {
  return { actor: actor.trim(), target: target.trim(), action, outcome, from, to };
}

export function isNarrowed(view: AuditView): boolean {
  return writeView({ ...view, sort: null }).size > 0;
}

/** Whether the range is empty. */
export function isBackwards({ from, to }: AuditView): boolean {
  return from !== '' && to !== '' && Date.parse(from) >= Date.parse(to);
}

function instantOf(text: string | null): string {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

export type ChangeView = ChangeFilter<AuditView>;

export function useAuditView(): [AuditView, ChangeView] {
  return useAddressFilter(readView, writeView);
}

/**
 * A value for a `datetime-local` field: in the reader's time zone, to the minute.
 *
 * @param instant ISO 8601, or empty
 * @returns such as `2027-01-31T13:00`; empty for an invalid time
 */
export function toLocalField(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param field value of a `datetime-local` field @returns ISO 8601 in UTC; empty for an invalid time */
export function fromLocalField(field: string): string {
  const ms = Date.parse(field);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

interface LiveAudit {
  /** Undefined until the first answer, and while there is an error. */
  rows: readonly AuditRecord[] | undefined;
  nextCursor: string | null;
  /** Number of matches on all pages. Null if unknown. */
  total: number | null | undefined;
  error: unknown;
  isUpdating: boolean;
  /** Number of new records since the view was read. `pageSize` means that many or more. */
  arrived: number;
  /** Adds them to the first page. */
  showNew: () => void;
  reload: () => void;
}

/** Refusals send no event, so they are polled. */
const newsPollMs = 15_000;
/** The shown page does not change by itself, and is read again next time. */
const asItWas = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, gcTime: 0 } as const;

/** One page of the audit, with the number of newer records if it is newest first. The server filters both. */
export function useAuditPage(filter: AuditFilter, sort: AuditOrder | null, cursor: string | null): LiveAudit {
  const api = useApi();
  const queries = useQueryClient();
  const read = (at: string | null) => ({
    ...reading(api, '/api/v1/audit', { query: { ...filter, sort, limit: pageSize, cursor: at } }),
    ...asItWas,
  });
  // The first page is always kept: new records are counted against it.
  const first = useEagerQuery({ ...read(null), placeholderData: keepPreviousData });
  const page = useEagerQuery({ ...read(cursor), placeholderData: keepPreviousData });
  const news = useQuery({
    ...read(null),
    queryKey: ['audit', 'news', filter, sort],
    enabled: false,
  });
  const lookForNews = () => {
    if (first.data && !first.isPlaceholderData) void news.refetch({ cancelRefetch: false });
  };
  useLiveRefresh(lookForNews, ({ topic }) => topic === 'audit' || topic === 'missed');
  useInterval(
    () => {
      if (document.visibilityState === 'visible') lookForNews();
    },
    newsPollMs,
    { autoInvoke: true },
  );

  const known = first.isPlaceholderData ? [] : (first.data?.audit ?? []);
  const found = news.data?.audit ?? [];
  // An empty page shows new records at once: nothing can move.
  const shown = cursor === null && known.length === 0 && found.length > 0 ? news.data : page.data;
  return {
    rows: page.isError ? undefined : shown?.audit,
    nextCursor: shown?.next_cursor ?? null,
    total: shown?.total,
    error: page.error,
    isUpdating: page.isPlaceholderData,
    arrived: sort === null ? countNewer(found, known) : 0,
    showNew: () => {
      if (news.data) queries.setQueryData<Answer<'get', '/api/v1/audit'>>(read(null).queryKey, news.data);
    },
    reload: () => void page.refetch(),
  };
}

/** Counts the found records that are newer than all known records; 0 without known records. Both lists are newest first. */
export function countNewer(found: readonly AuditRecord[], known: readonly AuditRecord[]): number {
  const [newest] = known;
  if (!newest) return 0;
  // IDs are decimal texts that can exceed a number: the longer text is the greater number.
  const isNewer = ({ id }: AuditRecord) =>
    id.length > newest.id.length || (id.length === newest.id.length && id > newest.id);
  return found.filter(isNewer).length;
}
