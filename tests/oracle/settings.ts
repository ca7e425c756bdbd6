import { adminKey, pageOrigin, playlistOrigin } from './odd-key-requests.ts';

const bytesFrom = (first: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, index) => first + index)).toString('hex');

/** Signs the tokens of viewers. */
export const tokenSecret = '0123456789abcdef0123456789abcdef';
export const setupToken = 'a-token-for-setup-of-32-characters';

/** The master key and salt are the ones of the vector in `docs/reference/contract.md#derivation`. */
const required = {
  MASTER_KEY_HEX: bytesFrom(0),
  SALT_HEX: bytesFrom(32),
  AUTH_JWT_SECRET: tokenSecret,
  TRUST_PROXY: 'loopback',
  SHUTDOWN_DRAIN_SECONDS: '0',
  LOG_LEVEL: 'info',
  // On a busy machine a process may not read the feed for longer than the usual 5 s, and would answer 503.
  AUTHORITY_MAX_AGE_SECONDS: '60',
};

/** Every feature is on. @param neighbor the origin of playlists and of the receiver of webhooks */
export const fullSettings = (neighbor: string) => ({
  ...required,
  ADMIN_API_KEY: adminKey,
  CORS_ORIGINS: pageOrigin,
  PUBLIC_URL: 'https://keys.example',
  PLAYLIST_ORIGINS: `${playlistOrigin},${neighbor}`,
  WEBHOOK_ORIGINS: neighbor,
  VIEWER_TOKEN_FROM: 'header,query,cookie',
  ENABLE_PRESIGN: 'true',
  S3_BUCKET: 'videos',
  S3_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
});

/** Nobody has claimed the server, few features are on, and limits are reached soon. */
export const limitedSettings = {
  ...required,
  SETUP_TOKEN: setupToken,
  CONTENT_MODE: 'any',
  LEASE_MODE: 'required',
  LEASE_MAX_PER_VIEWER: '1',
  RATE_LIMIT: 'on',
  RATE_LIMIT_KEYS_PER_MINUTE: '2',
  RATE_LIMIT_LEASES_PER_MINUTE: '3',
  RATE_LIMIT_PRESIGN_PER_MINUTE: '1',
  RATE_LIMIT_API_PER_MINUTE: '12',
};
