import { generateApiKey, hashCredential, keyPrefixOf } from '@latchkey/shared/auth';
import { type AuditDetails, type Scope, toLimitedScope } from '@latchkey/shared/contracts';
import { type AuditFacts, validationFailure } from '@latchkey/shared/http';
import { type ApiKeyMetadata, type ApiKeyRow, toApiKey, toMetadataColumn } from './api-key.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import type { LedgerEntry } from './own-tables.ts';

/** The raw key, which the caller gets once. It is not stored. */
export interface IssuedApiKey {
  row: ApiKeyRow;
  rawKey: string;
}

/** The members of a key that its creator chooses. */
export interface WantedApiKey {
  name: string;
  scope: Scope;
  /** Milliseconds since 1970; null for a key that does not expire. */
  expiresAt: number | null;
  metadata: ApiKeyMetadata;
  /** Ids and prefixes, as `isContentPattern` takes them; null for all contents. */
  contents: readonly string[] | null;
}

export type KeyMaker = Pick<AuthRouteOptions, 'randomId' | 'randomBytes'>;

/**
 * Makes a key and its row, and stores neither.
 *
 * @param now milliseconds since 1970
 */
export function newApiKey(
  { randomId, randomBytes }: KeyMaker,
  wanted: WantedApiKey,
  now: number,
): IssuedApiKey {
  const rawKey = generateApiKey(randomBytes);
  const row: ApiKeyRow = {
    id: randomId(),
    name: wanted.name,
    key_hash: hashCredential(rawKey),
    key_prefix: keyPrefixOf(rawKey),
    scope: wanted.contents === null ? wanted.scope : toLimitedScope(wanted.scope),
    created_at: now,
    expires_at: wanted.expiresAt,
    revoked_at: null,
    last_used_at: null,
    metadata: toMetadataColumn(wanted.metadata),
    contents: wanted.contents && JSON.stringify([...new Set(wanted.contents)]),
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

/** @throws AppError VALIDATION_FAILED for an expiry that is over. Null is none */
export function assertInFuture(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw validationFailure('/expiresAt', 'must lie in the future');
}

/**
 * Compares the members that a creation or an edit sets, as the API shows them.
 *
 * @param before null for a new key
 */
export function compareApiKeys(
  before: ApiKeyRow | null,
  after: ApiKeyRow,
): NonNullable<AuditDetails['changes']> {
  const [old, now] = [before && toApiKey(before), toApiKey(after)];
  return {
    name: { before: old?.name ?? null, after: now.name },
    expiresAt: { before: old?.expiresAt ?? null, after: now.expiresAt },
    metadata: { before: old?.metadata ?? {}, after: now.metadata },
  };
}

/** The audit row of an act on an API key, in the transaction of the act. */
export async function auditApiKeyAct(
  entry: LedgerEntry,
  action: 'setup' | 'api-key.create' | 'api-key.update' | 'api-key.revoke' | 'api-key.rotate',
  id: string,
  facts: AuditFacts,
  changes: AuditDetails['changes'] = {},
): Promise<void> {
  await entry.audit({ ...facts, action, target: id, outcome: 'done', code: null, details: { changes } });
}
