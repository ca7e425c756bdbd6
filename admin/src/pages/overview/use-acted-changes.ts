import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listAudit } from '../../api/audit.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { AuthorityChange } from '../../api/statistics.ts';
import { useApi } from '../../session/app-context.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { type ActedChange, joinActs } from './join-acts.ts';

/** As many as the server gives at once, because leases that applications create stand between the acts. */
const limit = 500;

export interface ActedChanges {
  changes: readonly ActedChange[];
  /** Whether the audit has answered once, or need not: so that no row changes its words before the eyes. */
  isKnown: boolean;
}

/** The changes with what was done, asked anew when there is a newer one. Without an answer they are told without it. */
export function useActedChanges(changes: readonly AuthorityChange[] | undefined): ActedChanges {
  const api = useApi();
  const unclear = changes?.filter(({ kind }) => kind !== 'leases') ?? [];
  const [newest] = unclear;
  const from = unclear.at(-1)?.at;
  // The end is not in it.
  const to = newest && new Date(Date.parse(newest.at) + 1).toISOString();
  const { data, isPending } = useQuery({
    queryKey: queryKeys.auditActs(newest?.number ?? 0),
    queryFn: ({ signal }) => listAudit(api, { outcome: 'done', from, to, limit }, signal),
    enabled: newest !== undefined,
    // An act does not become another.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  });
  // Rows do not change their height before the eyes, so the names are there too.
  const names = useApiKeyNames();
  const records = data?.audit;
  return {
    changes: useMemo(() => joinActs(changes ?? [], records ?? []), [changes, records]),
    isKnown: changes !== undefined && (newest === undefined || !isPending) && names !== undefined,
  };
}
