import { generateApiKey, hashCredential, keyPrefixOf } from '@latchkey/shared/auth';
import type { AuditDetails, Scope } from '@latchkey/shared/contracts';
import type { AuditFacts } from '@latchkey/shared/http';
import { type ApiKeyRow, toApiKey } from './api-key.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import type { LedgerEntry } from './own-tables.ts';

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

/** Writes a key's new state to the change feed, so that every cache drops the old one, and to the event stream. */
export async function announceApiKey(
  entry: LedgerEntry,
  event: 'created' | 'updated' | 'revoked',
  row: ApiKeyRow,
): Promise<void> {
  await entry.change({ kind: 'api-key', keyHash: row.key_hash });
  entry.notice({ topic: 'api-key', event, data: toApiKey(row) });
}

/** The audit row of an act on an API key, in the transaction of the act. */
export async function auditApiKeyAct(
  entry: LedgerEntry,
  action: 'setup' | 'api-key.create' | 'api-key.revoke' | 'api-key.rotate',
  id: string,
  facts: AuditFacts,
  changes: AuditDetails['changes'] = {},
): Promise<void> {
  await entry.audit({ ...facts, action, target: id, outcome: 'done', code: null, details: { changes } });
}
