import { readTarget } from '../../api/audit-target.ts';
import type { AuditRecord } from '../../api/schema.ts';
import { apiKeyAddress } from '../api-keys/api-key-address.ts';
import { viewerAddress } from '../viewers/viewer-address.ts';
import { addressOfWebhook } from '../webhooks/webhook-words.ts';

/** One change in words: `Film → Movie`. */
export function describeChange({ before, after }: { before?: unknown; after?: unknown }): string {
  return `${describeValue(before)} → ${describeValue(after)}`;
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The summary of the details in a row: the reason, or the names of the changed fields. Null if the details have neither. */
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
  if (uuid.test(target)) {
    if (/^(lease|session)\./.test(action)) return `/leases?${new URLSearchParams({ lease: target })}`;
    if (action.startsWith('api-key.') || action === 'setup') return apiKeyAddress(target);
    if (action.startsWith('webhook.')) return addressOfWebhook({ id: target });
  }
  return action.startsWith('content.') ? contentAddress(target) : null;
}

/** A path with a dot is a file's. */
function contentAddress(id: string): string | null {
  return /^[\w:-]+$/.test(id) ? `/content/${id}` : null;
}
