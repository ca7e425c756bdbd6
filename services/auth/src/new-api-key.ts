import { generateApiKey, hashCredential, keyPrefixOf } from '@latchkey/shared/auth';
import type { Scope } from '@latchkey/shared/contracts';
import type { ApiKeyRow } from './api-key.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';

/** The raw key, which the caller gets once. It is not stored. */
export interface IssuedApiKey {
  row: ApiKeyRow;
  rawKey: string;
}

export type KeyMaker = Pick<AuthRouteOptions, 'randomId' | 'randomBytes'>;

/**
 * Makes a key and its row, and stores neither.
 *
 * @param now and `expiresAt`: milliseconds since 1970; `expiresAt` null for a key that does not expire
 */
export function newApiKey(
  { randomId, randomBytes }: KeyMaker,
  wanted: { name: string; scope: Scope; expiresAt: number | null },
  now: number,
): IssuedApiKey {
  const rawKey = generateApiKey(randomBytes);
  const row: ApiKeyRow = {
    id: randomId(),
    name: wanted.name,
    key_hash: hashCredential(rawKey),
    key_prefix: keyPrefixOf(rawKey),
    scope: wanted.scope,
    created_at: now,
    expires_at: wanted.expiresAt,
    revoked_at: null,
    last_used_at: null,
  };
  return { row, rawKey };
}
