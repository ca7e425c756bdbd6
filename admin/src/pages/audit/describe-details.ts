import { readTarget } from '../../api/audit-target.ts';
import type { AuditRecord } from '../../api/schema.ts';
import { viewerAddress } from '../viewers/viewer-address.ts';

/** One change in words: `Film → Movie`. */
export function describeChange({ before, after }: { before?: unknown; after?: unknown }): string {
  return `${describeValue(before)} → ${describeValue(after)}`;
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a row shows of the details: the reason, or the names of what changed. Null if there is nothing to show. */
export function summarize(details: AuditRecord['details']): string | null {
  if (details?.reason) return details.reason;
  const names = Object.keys(details?.changes ?? {});
  return names.length === 0 ? null : names.join(', ');
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where a target is shown; null for one that has no page, or whose ID an address cannot hold. */
export function targetAddress({ action, target }: Pick<AuditRecord, 'action' | 'target'>): string | null {
  if (target === null) return null;
  const { viewerId, contentId } = readTarget(target) ?? {};
  if (viewerId) return viewerAddress(viewerId);
  if (contentId) return contentAddress(contentId);
  if (/^(lease|session)\./.test(action) && uuid.test(target))
    return `/leases?${new URLSearchParams({ lease: target })}`;
  return action.startsWith('content.') ? contentAddress(target) : null;
}

/** A path with a dot is a file's. */
function contentAddress(id: string): string | null {
  return /^[\w:-]+$/.test(id) ? `/content/${id}` : null;
}
