import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../api/schema.ts';
import { useApi } from '../../session/app-context.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import type { AuditQuery } from './audit-filter.ts';

export interface NewestRecordsOptions
  extends Pick<UseQueryOptions<AuditRecord[]>, 'queryKey' | 'enabled' | 'placeholderData'> {
  /** Questions to the audit whose answers are put together. */
  questions: readonly AuditQuery[];
  /** Leaves out records of the answers. */
  isShown?: (record: AuditRecord) => boolean;
  limit: number;
}

/** The newest records of several questions, newest first. Read again after each new record. */
export function useNewestRecords({
  questions,
  isShown = () => true,
  limit,
  ...options
}: NewestRecordsOptions) {
  const api = useApi();
  const records = useQuery({
    ...options,
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        questions.map((question) =>
          api.call('get', '/api/v1/audit', { params: { query: { ...question, limit } }, signal }),
        ),
      );
      return mergeHistory(
        pages.map(({ audit }) => audit.filter(isShown)),
        limit,
      );
    },
  });
  useLiveRefresh(
    () => void records.refetch(),
    ({ topic }) => topic === 'audit' || topic === 'missed',
  );
  return records;
}

/** The newest records of several lists, newest first. One that is in two of them is shown once. */
export function mergeHistory(lists: readonly (readonly AuditRecord[])[], limit: number): AuditRecord[] {
  const byId = new Map(lists.flat().map((record) => [record.id, record]));
  // Ids are numbers that grow with time; as text, 9 would come after 10.
  return [...byId.values()].sort((a, b) => Number(b.id) - Number(a.id)).slice(0, limit);
}
