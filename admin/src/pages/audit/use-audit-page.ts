import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { type AuditFilter, type AuditPage, type AuditRecord, listAudit } from '../../api/audit.ts';
import type { StreamState } from '../../api/events.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useApi } from '../../session/app-context.ts';
import { useLiveRefresh } from '../../state/use-events.ts';

interface LiveAudit {
  /** Undefined until the first answer, and while there is an error. */
  rows: readonly AuditRecord[] | undefined;
  nextCursor: string | null;
  error: unknown;
  isUpdating: boolean;
  stream: StreamState;
  /** How many records of the view have come since it was read: `pageSize` stands for that many or more. */
  arrived: number;
  /** Puts them on the first page. */
  takeIn: () => void;
  reload: () => void;
}

/** What fits two windows: drawn at once, and soon fetched. */
export const pageSize = 50;
/** What was refused is in no event: it is asked for. */
const newsPollMs = 15_000;
/** What is looked at stays where it is, and is read anew the next time. */
const asItWas = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, gcTime: 0 } as const;

/** One page of the audit, and how many have come since: counted by the server, with the same filter. */
export function useAuditPage(filter: AuditFilter, cursor: string | null): LiveAudit {
  const api = useApi();
  const queries = useQueryClient();
  const read = (at: string | null) => ({
    queryKey: queryKeys.auditPage(filter, at),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      listAudit(api, { ...filter, limit: pageSize, cursor: at ?? undefined }, signal),
    ...asItWas,
  });
  // The first page is kept beside any other: by it is known what is new.
  const first = useQuery({ ...read(null), placeholderData: keepPreviousData });
  const page = useQuery({ ...read(cursor), placeholderData: keepPreviousData });
  const news = useQuery({ ...read(null), queryKey: queryKeys.auditNews(filter), enabled: false });
  const lookForNews = () => {
    if (first.data && !first.isPlaceholderData) void news.refetch({ cancelRefetch: false });
  };
  const stream = useLiveRefresh(lookForNews, ({ topic }) => topic === 'audit' || topic === 'missed');
  useEach(newsPollMs, lookForNews);

  const known = first.isPlaceholderData ? [] : (first.data?.audit ?? []);
  const found = news.data?.audit ?? [];
  // Nobody looks at an empty page for its own sake.
  const shown = cursor === null && known.length === 0 && found.length > 0 ? news.data : page.data;
  return {
    rows: page.isError ? undefined : shown?.audit,
    nextCursor: shown?.next_cursor ?? null,
    error: page.error,
    isUpdating: page.isPlaceholderData,
    stream,
    arrived: countNewer(found, known),
    takeIn: () => {
      if (news.data) queries.setQueryData<AuditPage>(queryKeys.auditPage(filter, null), news.data);
    },
    reload: () => void page.refetch(),
  };
}

/** For as long as the component is shown, and somebody sees it. */
function useEach(everyMs: number, act: () => void): void {
  const tick = useEffectEvent(() => {
    if (document.visibilityState === 'visible') act();
  });
  useEffect(() => {
    const timer = setInterval(() => tick(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

/** How many of the records that were found are newer than all that are known; 0 where none are known. Both newest first. */
export function countNewer(found: readonly AuditRecord[], known: readonly AuditRecord[]): number {
  const [newest] = known;
  if (!newest) return 0;
  // Numbers too large for a text to be compared as such: the longer one is greater.
  const isNewer = ({ id }: AuditRecord) =>
    id.length > newest.id.length || (id.length === newest.id.length && id > newest.id);
  return found.filter(isNewer).length;
}
