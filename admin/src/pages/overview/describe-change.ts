import type { ActedChange } from './join-acts.ts';

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
