import type { ApiKeyState, Scope } from '@latchkey/shared/contracts';
import { isUuid, readStoredScope, toLimitedScope } from '@latchkey/shared/contracts';
import type { ApiKeyTable } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import { instantOf } from '@latchkey/shared/http';
import { redactName } from '@latchkey/shared/log';
import type { Selectable } from 'kysely';

/** A stored API key. Times are milliseconds since 1970. */
export type ApiKeyRow = Selectable<ApiKeyTable>;

/** An API key as the API shows it (`docs/reference/contract.md#api-keys`): never the raw key, never its hash. Times are ISO 8601. */
interface ApiKey extends Record<string, unknown> {
  id: string;
  name: string;
  keyPrefix: string;
  scope: Scope;
  /** Ids and prefixes; null for all contents. */
  contents: readonly string[] | null;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  createdAt: string;
  metadata: ApiKeyMetadata;
}

/** Texts of the owner by name, such as a ticket or a team. */
export type ApiKeyMetadata = Readonly<Record<string, string>>;

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    keyPrefix: row.key_prefix,
    scope: readStoredScope(row.scope).scope,
    contents: contentsOfRow(row),
    lastUsedAt: instantOf(row.last_used_at),
    expiresAt: instantOf(row.expires_at),
    revokedAt: instantOf(row.revoked_at),
    createdAt: instantOf(row.created_at),
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
  };
}

/** A limited key without contents is one that the release before rotated: it names none. */
export function contentsOfRow({ scope, contents }: Pick<ApiKeyRow, 'scope' | 'contents'>): string[] | null {
  if (contents !== null) return JSON.parse(contents);
  return readStoredScope(scope).isLimited ? [] : null;
}

/** The state of a key that other services use for their decisions. */
export function toApiKeyState(row: ApiKeyRow): ApiKeyState {
  const { scope } = readStoredScope(row.scope);
  const contents = contentsOfRow(row);
  const common = { id: row.id, name: row.name, expiresAt: row.expires_at, revokedAt: row.revoked_at };
  return contents === null ? { ...common, scope } : { ...common, scope: toLimitedScope(scope), contents };
}

/** The metadata as it is stored. Credentials in it are hidden, because lists and events show it. */
export function toMetadataColumn(metadata: ApiKeyMetadata): string {
  const texts = Object.entries(metadata).map(([name, text]) => [name, redactName(text)]);
  return JSON.stringify(Object.fromEntries(texts));
}

/** When a key ends; both null for one that does not. */
export type ApiKeyEnd = Pick<ApiKeyRow, 'expires_at' | 'revoked_at'>;

/**
 * How a replaced key ends: after the overlap, or at once without one. It never ends later than its own expiry.
 *
 * @param now milliseconds since 1970
 */
export function endOfReplaced(row: ApiKeyEnd, overlapSeconds: number, now: number): ApiKeyEnd {
  if (overlapSeconds === 0) return { expires_at: row.expires_at, revoked_at: now };
  const overlapEnd = now + overlapSeconds * 1_000;
  return { expires_at: Math.min(row.expires_at ?? overlapEnd, overlapEnd), revoked_at: row.revoked_at };
}

/**
 * The id of a path. UUIDs are read in any case (RFC 9562 section 4).
 *
 * @throws AppError API_KEY_NOT_FOUND for a text that is not a UUID, without a query
 */
export function readApiKeyId(text: string): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw apiKeyNotFound();
  return id;
}

export function apiKeyNotFound(detail = 'No API key has this id.'): AppError {
  return new AppError('API_KEY_NOT_FOUND', { detail });
}
