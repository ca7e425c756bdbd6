import type { QueryOf } from '../../api/api.ts';
import { apiKeyOrders, apiKeyStatuses, scopes } from '../../api/resources.ts';
import { createFilter, searchText } from '../../state/use-address-filter.ts';

type ApiKeyQuery = QueryOf<'/api/v1/api-keys'>;

/** Filters for keys that need a regular check. */
export const keyChecks = [
  { check: 'never-expires', name: 'Never expires', query: { expires: 'never' } },
  { check: 'unused-90-days', name: 'Unused for 90 days', query: { unusedDays: 90 } },
  { check: 'expiring-14-days', name: 'Expires within 14 days', query: { expires: 'within-14-days' } },
] as const satisfies { check: string; name: string; query: ApiKeyQuery }[];
type KeyCheck = (typeof keyChecks)[number]['check'];

export const apiKeyFilter = createFilter({
  q: searchText,
  status: apiKeyStatuses,
  scope: scopes,
  filter: keyChecks.map(({ check }) => check),
  sort: apiKeyOrders,
});
export type ApiKeyFilter = typeof apiKeyFilter.everything;

/** The request for the server. */
export function toApiKeyQuery({ filter, ...rest }: ApiKeyFilter): ApiKeyQuery {
  return { ...rest, ...keyChecks.find(({ check }) => check === filter)?.query };
}

/** Sets or clears the check. A check concerns active keys, so it sets the status as well. */
export function keyCheckPart(check: KeyCheck | null): Partial<ApiKeyFilter> {
  return check === null ? { filter: null } : { filter: check, status: 'active' };
}
