import type { Scope } from '../api/resources.ts';

/** What the dashboard shows by; the server decides by its own table all the same. */
type Permission = 'manage' | 'read-content' | 'upload' | 'fetch-keys';

const granted: Record<Scope, readonly Permission[]> = {
  admin: ['manage', 'read-content', 'upload', 'fetch-keys'],
  full: ['manage', 'read-content', 'upload', 'fetch-keys'],
  upload: ['upload'],
  playback: ['read-content', 'fetch-keys'],
};

export function may(scope: Scope, permission: Permission): boolean {
  return granted[scope].includes(permission);
}

/** A scope in a few words, for whoever chooses one. */
export const scopeMeanings: Record<Scope, string> = {
  admin: 'Manages everything: API keys, content, leases.',
  full: 'Manages everything, as admin does.',
  upload: 'Asks for upload addresses, and nothing else.',
  playback: 'Reads content and fetches its keys.',
};
