import { useQuery } from '@tanstack/react-query';
import { countActiveLeases, type RevocationTarget } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useApi } from '../../session/app-context.ts';

export interface CountBeforehand {
  /** Active leases that would end, counted when the dialog opened; undefined until known. */
  count: number | undefined;
  error: unknown;
  /** What has to be typed: the number, where it is more than one. Null for nothing; undefined while that is not known. */
  expected: string | null | undefined;
}

/** Where nothing can be counted, an admin in need can revoke all the same. */
const insteadOfNumber = 'revoke';

/** How many active leases a revocation would end. It stands still, because it is typed. */
export function useCountBeforehand(target: RevocationTarget): CountBeforehand {
  const api = useApi();
  const isOne = 'leaseId' in target;
  const { data: count, error } = useQuery({
    queryKey: queryKeys.revocationCount(target),
    queryFn: ({ signal }) => (isOne ? 1 : countActiveLeases(api, target, signal)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    // A revocation does not wait for a number: not even where the server takes no more requests for a while.
    retry: false,
  });
  if (isOne) return { count: 1, error: null, expected: null };
  if (count === undefined) return { count, error, expected: error ? insteadOfNumber : undefined };
  return { count, error: null, expected: count > 1 ? String(count) : null };
}
