import type { CurrentApiKey, Scope } from '../api/schema.ts';

/** Decides what the dashboard shows. The server enforces its own table. */
export type Permission = 'manage' | 'whole-server' | 'read-content';

const granted: Record<Scope, readonly Permission[]> = {
  admin: ['manage', 'whole-server', 'read-content'],
  full: ['manage', 'whole-server', 'read-content'],
  packager: ['read-content'],
  upload: [],
  playback: ['read-content'],
};

/** A key of some contents may do to those what its scope allows, and nothing to the whole server. */
export function may({ scope, contents }: CurrentApiKey, permission: Permission): boolean {
  if (permission === 'whole-server' && contents) return false;
  return granted[scope].includes(permission);
}

/** A short description of each scope. */
export const scopeMeanings: Record<Scope, string> = {
  admin: 'For people: manages everything.',
  full: 'For applications: may do all that admin may. The list of keys then tells programs from people.',
  packager: 'For encoders: registers and reads content, states key periods of its own, fetches content keys.',
  upload: 'Requests upload URLs, nothing else.',
  playback: 'Reads content and fetches content keys.',
};
