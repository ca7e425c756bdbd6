import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { ApiKeyQuery, ApiKeyStatus } from '../../api/api-keys.ts';
import { type Scope, scopes } from '../../api/resources.ts';

export const statuses: readonly ApiKeyStatus[] = ['active', 'expired', 'revoked'];

/** Keys that somebody should look at now and then. */
export const concerns = ['never-expires', 'unused-90-days', 'expiring-14-days'] as const;
export type Concern = (typeof concerns)[number];

/** What the page shows; it stands in the address, so that it can be kept, sent and gone back to. */
export interface ApiKeyFilter {
  q: string;
  status: ApiKeyStatus | null;
  scope: Scope | null;
  concern: Concern | null;
}

const asked: Record<Concern, ApiKeyQuery> = {
  'never-expires': { expires: 'never' },
  'unused-90-days': { unusedDays: 90 },
  'expiring-14-days': { expires: 'within-14-days' },
};

/** Reads the query of an address; what it does not know counts as absent. */
export function readFilter(params: URLSearchParams): ApiKeyFilter {
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | null =>
    values.find((value) => value === params.get(name)) ?? null;
  return {
    q: params.get('q') ?? '',
    status: oneOf('status', statuses),
    scope: oneOf('scope', scopes),
    concern: oneOf('filter', concerns),
  };
}

/** The query of an address that stands for the filter. */
export function writeFilter({ q, status, scope, concern }: ApiKeyFilter): URLSearchParams {
  const entries = { q, status, scope, filter: concern };
  return new URLSearchParams(
    Object.entries(entries).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** What to ask the server. */
export function toApiKeyQuery({ q, status, scope, concern }: ApiKeyFilter): ApiKeyQuery {
  return {
    q: q.trim() || undefined,
    status: status ?? undefined,
    scope: scope ?? undefined,
    ...(concern && asked[concern]),
  };
}

/** Another concern, or none. It is about keys that work: so the status says that. */
export function withConcern(filter: ApiKeyFilter, concern: Concern | null): ApiKeyFilter {
  return { ...filter, concern, status: concern === null ? filter.status : 'active' };
}

export function isNarrowed(filter: ApiKeyFilter): boolean {
  return writeFilter(filter).size > 0;
}

/** The filter that the address holds. */
export function useApiKeyFilter(): [ApiKeyFilter, (change: (filter: ApiKeyFilter) => ApiKeyFilter) => void] {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => readFilter(params), [params]);
  const setFilter = useCallback(
    (change: (filter: ApiKeyFilter) => ApiKeyFilter) =>
      // Not a step of its own in the history: the button back leaves the page, not the last letter.
      setParams((now) => writeFilter(change(readFilter(now))), { replace: true }),
    [setParams],
  );
  return [filter, setFilter];
}
