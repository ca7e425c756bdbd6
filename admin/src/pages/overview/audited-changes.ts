import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { reading } from '../../api/api.ts';
import { describeTarget } from '../../api/audit-target.ts';
import type { AuthorityChange } from '../../api/resources.ts';
import type { AuditRecord } from '../../api/schema.ts';
import { useApi } from '../../session/app-context.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { changeOfAction } from '../audit/actions.ts';

/** The server's largest page: leases that applications create are listed between the actions. */
const limit = 500;

/** The changes with their actions, read again for each new change. If the audit fails, they are shown without actions. */
export function useAuditedChanges(changes: readonly AuthorityChange[] | undefined) {
  const api = useApi();
  // A change of all leases of a viewer or content is a revocation, a block, or one of them that was lifted.
  const unclear = changes?.filter(({ kind, leaseId }) => kind !== 'leases' || leaseId === null) ?? [];
  const [newest] = unclear;
  const from = unclear.at(-1)?.at;
  // The end is exclusive.
  const to = newest && new Date(Date.parse(newest.at) + 1).toISOString();
  const { data, isPending } = useQuery({
    ...reading(api, '/api/v1/audit', { query: { outcome: 'done', from, to, limit } }),
    enabled: newest !== undefined,
    // Records do not change.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  });
  // Waits for the names as well, so that no row changes its height.
  const names = useApiKeyNames();
  const records = data?.audit;
  return {
    changes: useMemo(() => matchAuditRecords(changes ?? [], records ?? []), [changes, records]),
    /** Whether the audit has answered or is not needed. Until then no rows are shown, so that their texts do not change. */
    isKnown: changes !== undefined && (newest === undefined || !isPending) && names !== undefined,
  };
}

/** A change with the audited action that caused it: undefined if the audit does not have it. */
export interface AuditedChange extends AuthorityChange {
  audited?: AuditRecord;
}

/**
 * Finds the audited action of each change: a change itself has only a target. Both are written in one transaction, so their times
 * are equal. A rotation changes two keys: it is shown once, with the later effect.
 */
export function matchAuditRecords(
  changes: readonly AuthorityChange[],
  records: readonly AuditRecord[],
): AuditedChange[] {
  const shown = new Map<string, AuditedChange>();
  for (const change of changes) {
    const record = records.find((one) => isOf(one, change));
    const joined = record ? { ...change, audited: record } : change;
    const key = record ? `audited ${record.id}` : `change ${change.number}`;
    const other = shown.get(key);
    if (!other || lateness(other) < lateness(joined)) shown.set(key, joined);
  }
  return [...shown.values()];
}

/** Whether it removed access. Admins look for these changes. */
export function isRevocation({ kind, audited }: AuditedChange): boolean {
  if (kind === 'leases') return audited?.action !== 'mark.lift' && audited?.action !== 'viewer.unblock';
  return audited?.action === 'api-key.revoke' || audited?.action === 'content.disable';
}

function isOf({ at, action, target, outcome }: AuditRecord, change: AuthorityChange): boolean {
  if (outcome !== 'done' || Date.parse(at) !== Date.parse(change.at)) return false;
  if (change.kind === 'leases') return leaseActs.includes(action) && target === describeTarget(change);
  if (change.kind === 'content') return action.startsWith('content.') && target === change.contentId;
  return change.kind === 'api-key' && (action === 'setup' || action.startsWith('api-key.'));
}

/** The actions whose change names a viewer, a content or both. */
const leaseActs = ['lease.revoke', 'mark.lift', 'viewer.block', 'viewer.unblock'];

const lateness = ({ pending, slowestMs }: AuthorityChange) =>
  pending.length > 0 ? Number.POSITIVE_INFINITY : (slowestMs ?? 0);

/** Describes a change in words, without IDs, which can be long. */
export function describeChange({ kind, leaseId, viewerId, contentId, audited }: AuditedChange): string {
  const words = audited && changeOfAction(audited.action);
  if (words) return words;
  if (kind === 'api-key') return 'An API key was changed';
  if (kind === 'content') return 'A content was changed';
  if (leaseId !== null) return 'One lease was revoked';
  if (viewerId !== null && contentId !== null) return 'The leases of a viewer for a content were revoked';
  return viewerId === null ? 'The leases of a content were revoked' : 'The leases of a viewer were revoked';
}
