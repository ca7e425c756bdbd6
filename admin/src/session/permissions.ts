import type { Scope } from '../api/resources.ts';

/** Decides what the dashboard shows. The server enforces its own table. */
type Permission = 'manage' | 'read-content' | 'upload' | 'fetch-keys';

const granted: Record<Scope, readonly Permission[]> = {
  admin: ['manage', 'read-content', 'upload', 'fetch-keys'],
  full: ['manage', 'read-content', 'upload', 'fetch-keys'],
  packager: ['read-content', 'fetch-keys'],
  upload: ['upload'],
  playback: ['read-content', 'fetch-keys'],
};

export function may(scope: Scope, permission: Permission): boolean {
  return granted[scope].includes(permission);
}

/** A short description of each scope. */
export const scopeMeanings: Record<Scope, string> = {
  admin: 'Full management: API keys, content, leases.',
  full: 'Full management, the same as admin.',
  packager: 'For encoders: registers and reads content, states key periods of its own, fetches content keys.',
  upload: 'Requests upload URLs, nothing else.',
  playback: 'Reads content and fetches content keys.',
};
