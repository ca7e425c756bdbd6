import { createHash } from 'node:crypto';
import { blackBoxSettings } from '../test-run/black-box-tests.ts';
import type { Environment } from './server-process.ts';
import { uploadsOn } from './upload-settings.ts';

/** An origin of pages that these servers list, in addition to the origin of the pages with players. */
export const listedOrigin = 'https://app.example.com';
/** The origin of an application's pages, which they list too. */
export const applicationOrigin = 'capacitor://localhost';
/** The origin of playlists that these servers may fetch. Nothing answers there. */
export const playlistOrigin = 'https://cdn.example';

/** As in the other profiles, where all tests have one given server. */
const plain = { ...blackBoxSettings, ...uploadsOn };
const lists = { CORS_ORIGINS: `${blackBoxSettings.CORS_ORIGINS},${listedOrigin},${applicationOrigin}` };
const publicUrl = { PUBLIC_URL: 'https://keys.example', PLAYLIST_ORIGINS: playlistOrigin };

const digestOf = (text: string) => createHash('sha256').update(text).digest();
/** Accepted in addition to the secrets of the server. The same in every process of the tests, which read this file each by itself. */
export const previousSecrets = {
  AUTH_JWT_SECRET_PREVIOUS: [
    digestOf('one').toString('hex'),
    `base64:${digestOf('another').toString('base64')}`,
  ],
  ADMIN_API_KEY_PREVIOUS: `lk_${digestOf('a key').toString('hex')}`,
} as const;

/**
 * The servers that files of tests share, by name. Each starts when the first test asks for it. Tests make their own contents,
 * viewers and API keys there, and say nothing of all that exists. A test that needs an empty server, changes it for all or
 * breaks it starts its own.
 */
export const sharedSettings = {
  plain,
  /** With every variable without which a route answers that it is off. */
  'every-route': { ...plain, ...lists, ...publicUrl },
  'base-path': { ...publicUrl, PUBLIC_URL: 'https://keys.example/base/' },
  /** Leases last one second there, with a grace of an hour. */
  'any-content': { CONTENT_MODE: 'any', LEASE_TTL_SECONDS: '1', LEASE_RENEW_GRACE_SECONDS: '3600' },
  'leases-required': { ...plain, LEASE_MODE: 'required' },
  /** Secrets are being replaced there. */
  'leases-off': {
    ...publicUrl,
    LEASE_MODE: 'off',
    AUTH_JWT_SECRET_PREVIOUS: previousSecrets.AUTH_JWT_SECRET_PREVIOUS.join('\n'),
    ADMIN_API_KEY_PREVIOUS: previousSecrets.ADMIN_API_KEY_PREVIOUS,
  },
  'one-lease': { ...plain, LEASE_MAX_PER_VIEWER: '1' },
  cookies: { ...lists, VIEWER_TOKEN_FROM: 'header,cookie' },
  'every-token-place': { ...lists, ...publicUrl, VIEWER_TOKEN_FROM: 'header,query,cookie' },
  /** Each client has an address of its own there, which it names, so that tests do not count each other's requests. */
  'rate-limited': { ...uploadsOn, RATE_LIMIT: 'on', TRUST_PROXY: '1', CONTENT_MODE: 'any' },
} as const satisfies Record<string, Environment>;

export type SharedName = keyof typeof sharedSettings;
