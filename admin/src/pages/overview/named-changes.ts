import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type AuditRecord, listAudit } from '../../api/audit.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { AuthorityChange } from '../../api/statistics.ts';
import { useApi } from '../../session/app-context.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';

/** As many as the server gives at once, because leases that applications create stand between the acts. */
const limit = 500;

interface ActedChanges {
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

/** A change, and the act of management that it came of: undefined where the audit does not have it. */
export interface ActedChange extends AuthorityChange {
  act?: Pick<AuditRecord, 'action' | 'target'>;
}

/**
 * What was done, from the audit: a change itself says only what it was done to. Both are written in one transaction, so they
 * have the same time. A rotation changes two keys: it is shown once, as it was in force later.
 */
export function joinActs(
  changes: readonly AuthorityChange[],
  records: readonly AuditRecord[],
): ActedChange[] {
  const shown = new Map<string, ActedChange>();
  for (const change of changes) {
    const record = records.find((one) => isOf(one, change));
    const joined = record ? { ...change, act: { action: record.action, target: record.target } } : change;
    const key = record ? `act ${record.id}` : `change ${change.number}`;
    const other = shown.get(key);
    if (!other || lateness(other) < lateness(joined)) shown.set(key, joined);
  }
  return [...shown.values()];
}

/** Whether it took something away: such changes are what somebody looks for. */
export function isRevocation({ kind, act }: ActedChange): boolean {
  return kind === 'leases' || act?.action === 'api-key.revoke' || act?.action === 'content.disable';
}

function isOf({ at, action, target, outcome }: AuditRecord, change: AuthorityChange): boolean {
  if (outcome !== 'done' || Date.parse(at) !== Date.parse(change.at)) return false;
  if (change.kind === 'content') return action.startsWith('content.') && target === change.contentId;
  return change.kind === 'api-key' && (action === 'setup' || action.startsWith('api-key.'));
}

const lateness = ({ pending, slowestMs }: AuthorityChange) =>
  pending.length > 0 ? Number.POSITIVE_INFINITY : (slowestMs ?? 0);

const acts: Readonly<Record<string, string>> = {
  setup: 'The server was claimed',
  'api-key.create': 'An API key was created',
  'api-key.rotate': 'An API key was rotated',
  'api-key.revoke': 'An API key was revoked',
  'content.create': 'A content was registered',
  'content.update': 'A content was changed',
  'content.disable': 'A content was disabled',
};

/** What was changed, in words: without the ids, which may be long. */
export function describeChange({ kind, leaseId, viewerId, contentId, act }: ActedChange): string {
  const words = act && acts[act.action];
  if (words) return words;
  if (kind === 'api-key') return 'An API key was changed';
  if (kind === 'content') return 'A content was changed';
  if (leaseId !== null) return 'One lease was revoked';
  if (viewerId !== null && contentId !== null) return 'The leases of a viewer for a content were revoked';
  return viewerId === null ? 'The leases of a content were revoked' : 'The leases of a viewer were revoked';
}
