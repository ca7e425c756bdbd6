import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { TypedConfirmation } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { countOf, describeApplied } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { describeResult } from './describe-result.ts';
import {
  describeRevocation,
  ReasonField,
  type RevocationSubject,
  type RevocationTarget,
  targetOf,
  withReason,
} from './describe-revocation.tsx';

/** Revokes leases after showing their number and the consequences. */
export function RevokeDialog({ subject, onClose }: { subject: RevocationSubject; onClose: () => void }) {
  const target = targetOf(subject);
  const api = useApi();
  const beforehand = useCountBeforehand(target);
  const [reason, setReason] = useState('');
  const revoke = useServerAction({
    mutationFn: () =>
      api.call('post', '/keys/leases/revoke', {
        params: { query: { wait: 'applied' } },
        body: withReason(target, reason),
      }),
    changes: ['/api/v1/leases'],
    said: (revocation) => `${describeResult(revocation)}${describeApplied(revocation)}`,
    onSuccess: onClose,
  });
  const { title, words, action } = describeRevocation(subject);
  return (
    <TypedConfirmation
      title={title}
      width="34rem"
      fields={<ReasonField value={reason} onChange={setReason} />}
      expected={beforehand.expected}
      action={action}
      act={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      {words}
      <RevocationCount target={target} beforehand={beforehand} />
    </TypedConfirmation>
  );
}

/** The number of leases that will end. */
export function RevocationCount({
  target,
  beforehand,
}: {
  target: RevocationTarget;
  beforehand: CountBeforehand;
}) {
  const { count, error } = beforehand;
  if ('leaseId' in target) return null;
  if (error) return <ErrorNotice error={error} purpose="shown" />;
  if (count === undefined) return <Notice role="status">Counting the leases…</Notice>;
  if (count === 0)
    return (
      <Notice role="status" title="No active leases">
        Leases that can still be renewed end, and tokens issued until now are refused.
      </Notice>
    );
  return (
    <Notice kind="bad" role="status" title={`${countOf(count, 'active lease')} will end`}>
      Expired leases that can still be renewed end, too.
    </Notice>
  );
}

interface CountBeforehand {
  /** Number of active leases that would end, counted when the dialog opened; undefined until known. */
  count: number | undefined;
  error: unknown;
  /** The text to type: the number, if it is above one. Null for no text; undefined until known. */
  expected: string | null | undefined;
}

/** If counting fails, an admin can still revoke in an emergency. */
const insteadOfNumber = 'revoke';

/**
 * The active leases that the revocation of each target would end; undefined until known. They are counted once, because the admin types
 * their number.
 */
export function useCounts(
  targets: readonly RevocationTarget[],
): Pick<UseQueryResult<number[]>, 'data' | 'error'> {
  const api = useApi();
  return useQuery({
    queryKey: ['revocation-count', targets],
    queryFn: async ({ signal }) => {
      const counts: number[] = [];
      for (const target of targets) {
        const params = { query: { ...target, limit: 1 } };
        const isOne = 'leaseId' in target;
        const page = isOne ? null : await api.call('get', '/api/v1/leases', { params, signal });
        counts.push(page ? (page.total_active ?? 0) : 1);
      }
      return counts;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    // A revocation must not wait for the count, not even while the server limits requests.
    retry: false,
  });
}

/** Counts the active leases that one revocation would end. */
export function useCountBeforehand(target: RevocationTarget): CountBeforehand {
  const { data, error } = useCounts([target]);
  const count = data?.[0];
  if ('leaseId' in target) return { count, error, expected: null };
  if (count === undefined) return { count, error, expected: error ? insteadOfNumber : undefined };
  return { count, error: null, expected: count > 1 ? String(count) : null };
}
