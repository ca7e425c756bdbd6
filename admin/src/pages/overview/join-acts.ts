import type { AuditRecord } from '../../api/audit.ts';
import type { AuthorityChange } from '../../api/statistics.ts';

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
