import { blackBoxSettings } from '@latchkey/rig/test-run/black-box-tests';
import type { Environment } from './server-process.ts';
import { uploadsOn } from './upload-settings.ts';

/** As in the other profiles, where each test has one given server. */
const plain = { ...blackBoxSettings, ...uploadsOn };
/** The origin of playlists that these servers may fetch. Nothing answers there. */
export const playlistOrigin = 'https://cdn.example';

/**
 * The servers that files of tests share, by name. Each starts when the first test asks for it. Tests make their own contents,
 * viewers and API keys there, and say nothing of all that exists. A test that needs an empty server, changes it for all or
 * breaks it starts its own.
 */
export const sharedSettings = {
  plain,
  /** With every variable without which a route answers that it is off. */
  'every-route': { ...plain, PUBLIC_URL: 'https://keys.example', PLAYLIST_ORIGINS: playlistOrigin },
} as const satisfies Record<string, Environment>;

export type SharedName = keyof typeof sharedSettings;
