import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { countActiveLeases, type RevocationTarget, revokeLeases } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { useAct } from '../../state/use-act.ts';
import { describeResult } from './describe-result.ts';
import { describeRevocation, type Revoking, targetOf } from './describe-revocation.tsx';

/** As long as the server takes. */
const maxReasonLength = 500;

/** Ends leases for good, after it was said how many, and what it means. */
export function RevokeDialog({ revoking, onClose }: { revoking: Revoking; onClose: () => void }) {
  const target = targetOf(revoking);
  const api = useApi();
  const { announce } = useApp().toasts;
  const queries = useQueryClient();
  const beforehand = useCountBeforehand(target);
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const revoke = useAct({
    mutationFn: () => revokeLeases(api, target, reason.trim() || null),
    onSuccess: (revocation) => {
      void queries.invalidateQueries({ queryKey: queryKeys.leases });
      announce(describeResult(revocation));
      onClose();
    },
  });
  const { expected } = beforehand;
  const isReady = expected === null || (expected !== undefined && typed.trim() === expected);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !revoke.isPending) revoke.mutate();
  };
  const { title, words, action } = describeRevocation(revoking);
  return (
    <Dialog title={title} onClose={onClose} width="34rem">
      {words}
      <RevocationCount target={target} beforehand={beforehand} />
      <form onSubmit={submit}>
        <TextInput
          label="Reason"
          description="Kept with each lease. You may leave it empty."
          maxLength={maxReasonLength}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        {expected && (
          <TextInput
            label={
              <>
                Type <code>{expected}</code> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <ErrorNotice error={revoke.error} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="bad" disabled={!isReady} loading={revoke.isPending}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** How many leases are about to end. */
function RevocationCount({
  target,
  beforehand: { count, error },
}: {
  target: RevocationTarget;
  beforehand: CountBeforehand;
}) {
  if ('leaseId' in target) return null;
  if (error) return <ErrorNotice error={error} purpose="shown" />;
  if (count === undefined) return <Notice role="status">Counting the leases…</Notice>;
  if (count === 0)
    return (
      <Notice role="status" title="No lease is active">
        Those that can still be renewed end, and tokens issued until now are refused.
      </Notice>
    );
  return (
    <Notice kind="bad" role="status" title={`${countOf(count, 'active lease')} will end`}>
      And those that have expired but can still be renewed.
    </Notice>
  );
}

interface CountBeforehand {
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
