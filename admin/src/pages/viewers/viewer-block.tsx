import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ViewerBlock } from '../../api/schema.ts';
import { ActionDialog, TypedConfirmation } from '../../components/dialog.tsx';
import { describeApplied } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { phrase } from '../../components/phrase.ts';
import { RelativeTime } from '../../components/times.tsx';
import { useServerForm } from '../../components/use-server-form.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { expiryOf } from '../api-keys/api-key-rules.ts';
import { describeResult } from '../leases/describe-result.ts';
import { ReasonField, withReason } from '../leases/describe-revocation.tsx';
import { useCountBeforehand } from '../leases/revoke-dialog.tsx';

const path = '/api/v1/viewers/{viewerId}/block';

/** Shown above the page of a blocked viewer. */
export function ViewerBlockNotice({ block }: { block: ViewerBlock }) {
  return (
    <Notice kind="bad" title="This viewer is blocked" role="status">
      No token gets a key or a lease. <BlockEnd until={block.until} />
      {block.reason !== null && phrase` Reason: ${<OutsideText text={block.reason} />}`}
    </Notice>
  );
}

export function BlockEnd({ until }: Pick<ViewerBlock, 'until'>) {
  if (until === null) return 'The block holds until it is lifted.';
  return phrase`The block ends ${<RelativeTime at={until} isFocusable />}.`;
}

interface ViewerBlockButtonProps {
  viewerId: string;
  isBlocked: boolean;
  size?: 'sm' | 'compact-sm';
}

/** Opens the dialog that blocks a viewer, or lifts its block. */
export function ViewerBlockButton({ viewerId, isBlocked, size = 'sm' }: ViewerBlockButtonProps) {
  const [opened, setOpened] = useState<'block' | 'lift' | null>(null);
  const close = () => setOpened(null);
  return (
    <>
      <Button
        {...(isBlocked ? { variant: 'default' } : { variant: 'light', color: 'bad' })}
        size={size}
        onClick={() => setOpened(isBlocked ? 'lift' : 'block')}
      >
        {isBlocked ? 'Lift the block…' : 'Block this viewer…'}
      </Button>
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
  const { expected, notice } = useCountBeforehand({ viewerId });
  const form = useServerForm({
    initialValues: { end: 'never', day: '', reason: '' },
    validate: {
      day: (day, { end }) => expiryOf(end, day, clock.now()) === '' && 'Choose today or a later day.',
    },
    mutationFn: ({ end, day, reason }) =>
      api.call('put', path, {
        params: { path: { viewerId }, query: { wait: 'applied' } },
        body: withReason({ until: expiryOf(end, day, clock.now()) }, reason),
      }),
    changes: [path, '/api/v1/leases'],
    said: (revocation) => `Viewer blocked. ${describeResult(revocation)}${describeApplied(revocation)}`,
    onSuccess: onClose,
  });
  const end = form.useWatchValue('end');
  return (
    <TypedConfirmation
      title="Block a viewer"
      width="34rem"
      fields={
        <>
          <NativeSelect {...form.getInputProps('end')} label="Ends" data={ends} />
          {end === 'date' && <TextInput {...form.getInputProps('day')} type="date" label="Last day" />}
          <ReasonField form={form} isOfBlock />
        </>
      }
      expected={expected}
      action="Block the viewer"
      act={form}
      onConfirm={form.submit}
      onClose={onClose}
    >
      <p>
        Viewer <OutsideText text={viewerId} /> gets no key, lease or session for any content, with any token,
        also with one that your application issues from now on. Its leases end. A player can use a key that it
        already holds until its epoch ends.
      </p>
      {notice}
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
        again. Tokens from before stay refused, and revoked leases stay revoked.
      </p>
    </ActionDialog>
  );
}
