import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { ApiKeyQuery, ApiKeyStatus } from '../../api/api-keys.ts';
import { type Scope, scopes } from '../../api/resources.ts';

export const statuses: readonly ApiKeyStatus[] = ['active', 'expired', 'revoked'];

/** Filters for keys that need a regular check. */
const keyChecks = ['never-expires', 'unused-90-days', 'expiring-14-days'] as const;
export type KeyCheck = (typeof keyChecks)[number];

/** The filter of the page. It is part of the address, so that it can be bookmarked and shared. */
export interface ApiKeyFilter {
  q: string;
  status: ApiKeyStatus | null;
  scope: Scope | null;
  check: KeyCheck | null;
}

const query: Record<KeyCheck, ApiKeyQuery> = {
  'never-expires': { expires: 'never' },
  'unused-90-days': { unusedDays: 90 },
  'expiring-14-days': { expires: 'within-14-days' },
};

/** Reads the filter from the query of an address. Unknown values are ignored. */
export function readFilter(params: URLSearchParams): ApiKeyFilter {
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | null =>
    values.find((value) => value === params.get(name)) ?? null;
  return {
    q: params.get('q') ?? '',
    status: oneOf('status', statuses),
    scope: oneOf('scope', scopes),
    check: oneOf('filter', keyChecks),
  };
}

/** Writes the filter as the query of an address. */
export function writeFilter({ q, status, scope, check }: ApiKeyFilter): URLSearchParams {
  const entries = { q, status, scope, filter: check };
  return new URLSearchParams(
    Object.entries(entries).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** The request for the server. */
export function toApiKeyQuery({ q, status, scope, check }: ApiKeyFilter): ApiKeyQuery {
  return {
    q: q.trim() || undefined,
    status: status ?? undefined,
    scope: scope ?? undefined,
    ...(check && query[check]),
  };
}

/** Sets or clears the check. A check concerns active keys, so it sets the status as well. */
export function withKeyCheck(filter: ApiKeyFilter, check: KeyCheck | null): ApiKeyFilter {
  return { ...filter, check, status: check === null ? filter.status : 'active' };
}

export function isNarrowed(filter: ApiKeyFilter): boolean {
  return writeFilter(filter).size > 0;
}

/** The filter in the address. */
export function useApiKeyFilter(): [ApiKeyFilter, (change: (filter: ApiKeyFilter) => ApiKeyFilter) => void] {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => readFilter(params), [params]);
  const setFilter = useCallback(
    (change: (filter: ApiKeyFilter) => ApiKeyFilter) =>
      // Replaces the history entry: the back button leaves the page instead of undoing one letter.
      setParams((now) => writeFilter(change(readFilter(now))), { replace: true }),
    [setParams],
  );
  return [filter, setFilter];
}
