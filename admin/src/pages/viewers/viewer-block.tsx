import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading } from '../../api/api.ts';
import type { ViewerBlock } from '../../api/schema.ts';
import { ActionDialog, TypedConfirmation } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { describeApplied } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { expiryOf } from '../api-keys/api-key-rules.ts';
import { describeResult } from '../leases/describe-result.ts';
import { ReasonField, withReason } from '../leases/describe-revocation.tsx';
import { RevocationCount, useCountBeforehand } from '../leases/revoke-dialog.tsx';

const path = '/api/v1/viewers/{viewerId}/block';

interface KnownBlock {
  /** Null if the viewer is not blocked; undefined until known. */
  block: ViewerBlock | null | undefined;
  error: unknown;
}

/** Whether a viewer is blocked, kept up to date. Unknown to an API key of some contents. */
export function useViewerBlock(viewerId: string): KnownBlock {
  const api = useApi();
  const isVisible = may(useCurrentApiKey(), 'whole-server');
  const { data, error, refetch } = useQuery({
    ...reading(api, path, { path: { viewerId } }),
    enabled: isVisible,
  });
  useLiveRefresh(
    () => void (isVisible && refetch()),
    ({ topic }) => topic === 'lease' || topic === 'audit' || topic === 'missed',
  );
  return { block: error ? undefined : data?.block, error };
}

/** Shown above the page of a blocked viewer. */
export function ViewerBlockNotice({ block: { block, error } }: { block: KnownBlock }) {
  if (error) return <ErrorNotice error={error} purpose="shown" />;
  if (!block) return null;
  return (
    <Notice kind="bad" title="This viewer is blocked" role="status">
      No token gets a key or a lease.{' '}
      {block.until === null ? (
        'The block holds until it is lifted.'
      ) : (
        <>
          The block ends <RelativeTime at={block.until} isFocusable />.
        </>
      )}
      {block.reason !== null && (
        <>
          {' '}
          Reason: <OutsideText text={block.reason} />
        </>
      )}
    </Notice>
  );
}

/** Opens the dialog that blocks a viewer, or lifts its block. */
export function ViewerBlockButton({ viewerId, block: { block } }: { viewerId: string; block: KnownBlock }) {
  const [opened, setOpened] = useState<'block' | 'lift' | null>(null);
  const close = () => setOpened(null);
  return (
    <>
      {block ? (
        <Button variant="default" onClick={() => setOpened('lift')}>
          Lift the block…
        </Button>
      ) : (
        <Button variant="light" color="bad" onClick={() => setOpened('block')}>
          Block this viewer…
        </Button>
      )}
      {opened === 'block' && <BlockDialog viewerId={viewerId} onClose={close} />}
      {opened === 'lift' && <LiftDialog viewerId={viewerId} onClose={close} />}
    </>
  );
}

const ends = [
  { value: 'never', label: 'When it is lifted' },
  { value: '1', label: 'In a day' },
  { value: '7', label: 'In a week' },
  { value: '30', label: 'In 30 days' },
  { value: 'date', label: 'After a chosen day' },
];

function BlockDialog({ viewerId, onClose }: { viewerId: string; onClose: () => void }) {
  const api = useApi();
  const { clock } = useApp();
  const target = { viewerId };
  const beforehand = useCountBeforehand(target);
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState('never');
  const [day, setDay] = useState('');
  const [isDayMissing, setDayMissing] = useState(false);
  const block = useServerAction({
    mutationFn: (until: string | null) =>
      api.call('put', path, {
        params: { path: { viewerId }, query: { wait: 'applied' } },
        body: withReason({ until }, reason),
      }),
    changes: [path, '/api/v1/leases'],
    said: (revocation) => `Viewer blocked. ${describeResult(revocation)}${describeApplied(revocation)}`,
    onSuccess: onClose,
  });
  const confirm = () => {
    const until = expiryOf(end, day, clock.now());
    setDayMissing(until === undefined);
    if (until !== undefined) block.mutate(until);
  };
  return (
    <TypedConfirmation
      title="Block a viewer"
      width="34rem"
      fields={
        <>
          <NativeSelect
            label="Ends"
            value={end}
            onChange={(event) => setEnd(event.currentTarget.value)}
            data={ends}
          />
          {end === 'date' && (
            <TextInput
              type="date"
              label="Last day"
              value={day}
              onChange={(event) => setDay(event.currentTarget.value)}
              error={isDayMissing && 'Choose today or a later day.'}
            />
          )}
          <ReasonField value={reason} onChange={setReason} isOfBlock />
        </>
      }
      expected={beforehand.expected}
      action="Block the viewer"
      act={block}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Viewer <OutsideText text={viewerId} /> gets no key, lease or session for any content, with any token,
        also with one that your application issues from now on. Its leases end. A player can use a key that it
        already holds until its epoch ends.
      </p>
      <RevocationCount target={target} beforehand={beforehand} />
    </TypedConfirmation>
  );
}

function LiftDialog({ viewerId, onClose }: { viewerId: string; onClose: () => void }) {
  const api = useApi();
  const lift = useServerAction({
    mutationFn: () => api.call('delete', path, { params: { path: { viewerId } } }),
    changes: [path],
    said: 'Block lifted',
    onSuccess: onClose,
  });
  return (
    <ActionDialog title="Lift the block" action="Lift the block" act={lift} isCancelFirst onClose={onClose}>
      <p>
        Tokens that viewer <OutsideText text={viewerId} /> was issued after it was blocked get keys and leases
        again. Tokens from before stay refused by its marks, and revoked leases stay revoked.
      </p>
    </ActionDialog>
  );
}
