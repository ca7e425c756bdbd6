import type { QueryOf } from '../../api/api.ts';
import { apiKeyOrders, apiKeyStatuses, scopes } from '../../api/resources.ts';
import type { Scope } from '../../api/schema.ts';
import { type ChangeFilter, oneOf, toParams, useAddressFilter } from '../../state/use-address-filter.ts';

/** Filters for keys that need a regular check. */
export const keyChecks = ['never-expires', 'unused-90-days', 'expiring-14-days'] as const;
export type KeyCheck = (typeof keyChecks)[number];

export interface ApiKeyFilter {
  q: string;
  status: (typeof apiKeyStatuses)[number] | null;
  scope: Scope | null;
  check: KeyCheck | null;
  /** Null for newest first. */
  sort: (typeof apiKeyOrders)[number] | null;
}

export const everyKey: ApiKeyFilter = { q: '', status: null, scope: null, check: null, sort: null };

const query: Record<KeyCheck, QueryOf<'/api/v1/api-keys'>> = {
  'never-expires': { expires: 'never' },
  'unused-90-days': { unusedDays: 90 },
  'expiring-14-days': { expires: 'within-14-days' },
};

/** Reads the filter from the query of an address. */
export function readFilter(params: URLSearchParams): ApiKeyFilter {
  return {
    q: params.get('q') ?? '',
    status: oneOf(params, 'status', apiKeyStatuses),
    scope: oneOf(params, 'scope', scopes),
    check: oneOf(params, 'filter', keyChecks),
    sort: oneOf(params, 'sort', apiKeyOrders),
  };
}

function writeFilter({ q, status, scope, check, sort }: ApiKeyFilter): URLSearchParams {
  return toParams({ q, status, scope, filter: check, sort });
}

/** The request for the server. */
export function toApiKeyQuery({ q, status, scope, check, sort }: ApiKeyFilter): QueryOf<'/api/v1/api-keys'> {
  return { q: q.trim(), status, scope, sort, ...(check && query[check]) };
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
