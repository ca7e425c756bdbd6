import type { AuthorityChange } from '../../api/statistics.ts';

/** What was changed, in words: without the ids, which may be long. */
export function describeChange({ kind, leaseId, viewerId, contentId }: AuthorityChange): string {
  if (kind === 'api-key') return 'An API key was changed';
  if (kind === 'content') return 'A content was changed';
  if (leaseId !== null) return 'One lease was revoked';
  if (viewerId !== null && contentId !== null) return 'The leases of a viewer for a content were revoked';
  return viewerId === null ? 'The leases of a content were revoked' : 'The leases of a viewer were revoked';
}
