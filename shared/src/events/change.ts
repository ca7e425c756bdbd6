/**
 * A change of authority. It says what to forget, not what is true now: who needs the state reads it from its owner.
 * `leases` names one lease, or everything of a viewer, of a content, or of the pair.
 */
export type Change =
  | { kind: 'api-key'; keyHash: string }
  | { kind: 'content'; contentId: string }
  | { kind: 'leases'; leaseId: string | null; viewerId: string | null; contentId: string | null };

/** As many characters as the longest id of a viewer has. Longer names would be kept, and memory would end. */
const longestName = 1_024;

/** @returns null for anything that is not a change; what arrives from outside the process is not trusted to be one */
export function parseChange(value: unknown): Change | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, keyHash, leaseId, viewerId, contentId } = value as Record<string, unknown>;
  if (kind === 'api-key') return isName(keyHash) ? { kind, keyHash } : null;
  if (kind === 'content') return isName(contentId) ? { kind, contentId } : null;
  if (kind !== 'leases') return null;
  if (!isNullableName(leaseId) || !isNullableName(viewerId) || !isNullableName(contentId)) return null;
  return { kind, leaseId, viewerId, contentId };
}

function isNullableName(value: unknown): value is string | null {
  return value === null || isName(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestName;
}
