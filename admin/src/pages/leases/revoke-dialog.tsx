import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { revokeLeases } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { countOf } from '../../components/format-count.ts';
import { useApi, useApp } from '../../session/app-context.ts';
import { useAct } from '../../state/use-act.ts';
import { type Revoking, targetOf } from './act.ts';
import { describeRevocation } from './describe-revocation.tsx';
import { RevocationCount } from './revocation-count.tsx';
import { useCountBeforehand } from './use-count-beforehand.ts';

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
    onSuccess: ({ revoked }) => {
      void queries.invalidateQueries({ queryKey: queryKeys.leases });
      announce(revoked === 0 ? 'No lease was left to revoke' : `${countOf(revoked, 'lease')} revoked`);
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
