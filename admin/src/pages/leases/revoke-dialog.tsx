import { useQuery } from '@tanstack/react-query';
import { TypedConfirmation } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { countOf, describeApplied } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { useServerForm } from '../../components/use-server-form.tsx';
import { useApi } from '../../session/app-context.ts';
import { describeResult } from './describe-result.ts';
import {
  describeRevocation,
  ReasonField,
  type RevocationSubject,
  toRequest,
} from './describe-revocation.tsx';

/** Revokes leases after showing their number and the consequences. */
export function RevokeDialog({ subject, onClose }: { subject: RevocationSubject; onClose: () => void }) {
  const api = useApi();
  const { expected, notice } = useCountBeforehand(subject);
  const form = useServerForm({
    initialValues: { reason: '' },
    validate: {},
    mutationFn: ({ reason }) =>
      api.call('post', '/keys/leases/revoke', {
        params: { query: { wait: 'applied' } },
        body: toRequest(subject, reason),
      }),
    changes: ['/api/v1/leases'],
    said: (revocation) => `${describeResult(revocation)}${describeApplied(revocation)}`,
    onSuccess: onClose,
  });
  const { words, ...labels } = describeRevocation(subject);
  return (
    <TypedConfirmation
      {...labels}
      width="34rem"
      fields={<ReasonField form={form} />}
      expected={expected}
      act={form}
      onConfirm={form.submit}
      onClose={onClose}
    >
      {words}
      {notice}
    </TypedConfirmation>
  );
}

/**
 * The active leases that the revocation of each subject would end; undefined until known. They are counted once, because the admin types
 * their number.
 */
export function useCounts(subjects: readonly RevocationSubject[]) {
  const api = useApi();
  return useQuery({
    queryKey: ['revocation-count', subjects],
    queryFn: async ({ signal }) => {
      const counts: number[] = [];
      for (const subject of subjects) {
        if ('lease' in subject) counts.push(1);
        else {
          const params = { query: { ...subject, limit: 1 } };
          const { total_active: active } = await api.call('get', '/api/v1/leases', { params, signal });
          counts.push(active ?? 0);
        }
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

/** Shown in place of a number of leases. */
export function NotCounted({ error }: { error: unknown }) {
  return error ? (
    <ErrorNotice error={error} purpose="shown" />
  ) : (
    <Notice role="status">Counting the leases…</Notice>
  );
}

/** If counting fails, an admin can still revoke in an emergency. */
const insteadOfNumber = 'revoke';

/**
 * Counts the active leases that one revocation would end, for a `TypedConfirmation`.
 *
 * @returns the text to type, which is the number if it is above one, and a notice with the number
 */
export function useCountBeforehand(subject: RevocationSubject) {
  const { data: [count] = [], error } = useCounts([subject]);
  if ('lease' in subject) return { expected: null, notice: null };
  if (count === undefined)
    return { expected: error ? insteadOfNumber : undefined, notice: <NotCounted error={error} /> };
  if (count === 0)
    return {
      expected: null,
      notice: (
        <Notice role="status" title="No active leases">
          Leases that can still be renewed end, and tokens issued until now are refused.
        </Notice>
      ),
    };
  return {
    expected: count > 1 ? String(count) : null,
    notice: (
      <Notice kind="bad" role="status" title={`${countOf(count, 'active lease')} will end`}>
        Expired leases that can still be renewed end, too.
      </Notice>
    ),
  };
}
