import type { Api } from './api.ts';
import { type Applied, untilApplied } from './applied.ts';
import type { ApiKey, CurrentApiKey, IssuedApiKey, Scope } from './resources.ts';

export type ApiKeyStatus = 'active' | 'revoked' | 'expired';

/** The orders of the list beside the usual one, newest first. Keys that never expire come after all others. */
export const apiKeyOrders = ['createdAt', 'expiresAt', '-expiresAt'] as const;
export type ApiKeyOrder = (typeof apiKeyOrders)[number];

/** Filter of a list, applied by the server. */
export interface ApiKeyQuery {
  /** Part of the name, or the beginning of the key. */
  q?: string | undefined;
  status?: ApiKeyStatus | undefined;
  scope?: Scope | undefined;
  expires?: 'never' | 'within-14-days' | undefined;
  /** Unused for this number of days. */
  unusedDays?: number | undefined;
  /** Newest first by default. */
  sort?: ApiKeyOrder | undefined;
  limit?: number;
  cursor?: string | undefined;
}

export interface ApiKeyPage {
  api_keys: ApiKey[];
  next_cursor: string | null;
  /** Number of matches on all pages, counted up to `apiKeysCountedUpTo`. */
  total: number;
}

export const apiKeysCountedUpTo = 100_000;

export function listApiKeys(api: Api, query: ApiKeyQuery, signal?: AbortSignal): Promise<ApiKeyPage> {
  return api.request('GET', '/api/v1/api-keys', { query: { ...query }, signal });
}

export interface NewApiKey {
  name: string;
  scope: Scope;
  expiresAt: string | null;
  /** Ids and prefixes; null for all contents. */
  contents: readonly string[] | null;
}

export function createApiKey(api: Api, body: NewApiKey): Promise<IssuedApiKey> {
  return api.request('POST', '/api/v1/api-keys', { body });
}

export interface RotatedApiKey extends IssuedApiKey {
  previous: ApiKey;
}

/** The old key stays valid for the overlap; with 0 it ends now. */
export function rotateApiKey(api: Api, id: string, overlapSeconds: number): Promise<RotatedApiKey> {
  return api.request('POST', `/api/v1/api-keys/${id}/rotate`, { body: { overlapSeconds } });
}

export function revokeApiKey(api: Api, id: string): Promise<ApiKey & Applied> {
  return api.request('DELETE', `/api/v1/api-keys/${id}`, { query: untilApplied });
}

/** Reads the description of a key. */
export async function readCurrentApiKey(api: Api, credential: string): Promise<CurrentApiKey> {
  const answer = await api.request<{ api_key: CurrentApiKey }>('GET', '/api/v1/api-keys/current', {
    credential,
  });
  return answer.api_key;
}

/** Limited keys may come first. Among so many, two keys of all contents are found. */
const lookedAt = 100;

/** Keys that can manage the whole server, at least two of each scope if there are that many: enough to know whether one is the last. */
export async function listManagers(api: Api, signal?: AbortSignal): Promise<ApiKey[]> {
  const pages = await Promise.all(
    (['admin', 'full'] as const).map((scope) =>
      listApiKeys(api, { status: 'active', scope, limit: lookedAt }, signal),
    ),
  );
  return pages.flatMap((page) => page.api_keys).filter(({ contents }) => contents === null);
}
