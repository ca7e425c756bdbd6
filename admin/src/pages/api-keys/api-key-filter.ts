import type { QueryOf } from '../../api/api.ts';
import { apiKeyOrders, apiKeyStatuses, scopes } from '../../api/resources.ts';
import { anyText, createFilter, trimmed } from '../../state/use-address-filter.ts';

/** Filters for keys that need a regular check. */
export const keyChecks = ['never-expires', 'unused-90-days', 'expiring-14-days'] as const;
export type KeyCheck = (typeof keyChecks)[number];

type ApiKeyQuery = QueryOf<'/api/v1/api-keys'>;

const queries: Record<KeyCheck, ApiKeyQuery> = {
  'never-expires': { expires: 'never' },
  'unused-90-days': { unusedDays: 90 },
  'expiring-14-days': { expires: 'within-14-days' },
};

export const apiKeyFilter = createFilter({
  q: anyText,
  status: apiKeyStatuses,
  scope: scopes,
  filter: keyChecks,
  sort: apiKeyOrders,
});
export type ApiKeyFilter = typeof apiKeyFilter.everything;

/** The request for the server. */
export function toApiKeyQuery({ filter: check, ...rest }: ApiKeyFilter): ApiKeyQuery {
  return { ...trimmed(rest), ...(check && queries[check]) };
}

/** Sets or clears the check. A check concerns active keys, so it sets the status as well. */
export function keyCheckPart(check: KeyCheck | null): Partial<ApiKeyFilter> {
  return check === null ? { filter: null } : { filter: check, status: 'active' };
}
