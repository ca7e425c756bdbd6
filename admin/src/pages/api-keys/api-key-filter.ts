import { type ApiKeyOrder, type ApiKeyQuery, type ApiKeyStatus, apiKeyOrders } from '../../api/api-keys.ts';
import { type Scope, scopes } from '../../api/resources.ts';
import { type ChangeFilter, oneOf, toParams, useAddressFilter } from '../../state/use-address-filter.ts';

export const statuses: readonly ApiKeyStatus[] = ['active', 'expired', 'revoked'];

/** Filters for keys that need a regular check. */
export const keyChecks = ['never-expires', 'unused-90-days', 'expiring-14-days'] as const;
export type KeyCheck = (typeof keyChecks)[number];

export interface ApiKeyFilter {
  q: string;
  status: ApiKeyStatus | null;
  scope: Scope | null;
  check: KeyCheck | null;
  /** Null for newest first. */
  sort: ApiKeyOrder | null;
}

export const everyKey: ApiKeyFilter = { q: '', status: null, scope: null, check: null, sort: null };

const query: Record<KeyCheck, ApiKeyQuery> = {
  'never-expires': { expires: 'never' },
  'unused-90-days': { unusedDays: 90 },
  'expiring-14-days': { expires: 'within-14-days' },
};

/** Reads the filter from the query of an address. */
export function readFilter(params: URLSearchParams): ApiKeyFilter {
  return {
    q: params.get('q') ?? '',
    status: oneOf(params, 'status', statuses),
    scope: oneOf(params, 'scope', scopes),
    check: oneOf(params, 'filter', keyChecks),
    sort: oneOf(params, 'sort', apiKeyOrders),
  };
}

function writeFilter({ q, status, scope, check, sort }: ApiKeyFilter): URLSearchParams {
  return toParams({ q, status, scope, filter: check, sort });
}

/** The request for the server. */
export function toApiKeyQuery({ q, status, scope, check, sort }: ApiKeyFilter): ApiKeyQuery {
  return {
    q: q.trim() || undefined,
    status: status ?? undefined,
    scope: scope ?? undefined,
    sort: sort ?? undefined,
    ...(check && query[check]),
  };
}

/** Sets or clears the check. A check concerns active keys, so it sets the status as well. */
export function keyCheckPart(check: KeyCheck | null): Partial<ApiKeyFilter> {
  return check === null ? { check } : { check, status: 'active' };
}

export function isNarrowed(filter: ApiKeyFilter): boolean {
  return writeFilter({ ...filter, sort: null }).size > 0;
}

export function useApiKeyFilter(): [ApiKeyFilter, ChangeFilter<ApiKeyFilter>] {
  return useAddressFilter(readFilter, writeFilter);
}
