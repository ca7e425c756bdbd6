import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, keyOf } from '../../api/api.ts';
import type { ApiKey } from '../../api/schema.ts';
import { ActionDialog, TypedConfirmation } from '../../components/dialog.tsx';
import { describeApplied } from '../../components/format-numbers.ts';
import { formatExact } from '../../components/format-time.ts';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { useNow } from '../../state/time.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import type { OpenDialog } from './api-key-columns.tsx';
import { isInUse, isLastManager, overlaps, usualOverlap } from './api-key-rules.ts';
import { CreateDialog } from './create-dialog.tsx';

const path = '/api/v1/api-keys';

/** The open dialog. */
export function CurrentDialog({ dialog, onClose }: { dialog: OpenDialog; onClose: () => void }) {
  if (dialog.kind === 'create') return <CreateDialog onClose={onClose} />;
  const Dialog = { rotate: RotateDialog, revoke: RevokeDialog }[dialog.kind];
  return <Dialog apiKey={dialog.apiKey} onClose={onClose} />;
}

interface KeyDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

/** Replaces a key. The old one stays valid for a while. */
function RotateDialog({ apiKey, onClose }: KeyDialogProps) {
  const api = useApi();
  const { session, issuedKey } = useApp();
  const isOwn = useCurrentApiKey().id === apiKey.id;
  const [overlap, setOverlap] = useState(usualOverlap);
  const now = useNow();
  const isRisky = overlap === '0' && !isOwn && isInUse(apiKey.lastUsedAt, now);
  const rotate = useServerAction({
    mutationFn: () => {
      const body = { overlapSeconds: Number(overlap) };
      const params = { path: { id: apiKey.id } };
      const rotateIt = () => api.call('post', '/api/v1/api-keys/{id}/rotate', { params, body });
      return isOwn ? session.replace(rotateIt) : rotateIt();
    },
    changes: [path],
    onSuccess: (rotated) => {
      issuedKey.set({
        ...{ kind: 'api-key', name: rotated.api_key.name, raw: rotated.raw_key ?? '' },
        note: describeEnd(rotated),
      });
      onClose();
    },
  });
  return (
    <ActionDialog title="Rotate this key" action="Rotate the key" act={rotate} onClose={onClose}>
      <p>
        <OutsideText text={apiKey.name} /> gets a new key with the same scope, contents and expiry. Give it to
        the users of the old key (<code>{apiKey.keyPrefix}…</code>) before that key ends.
      </p>
      <Notice kind={isRisky ? 'warning' : 'info'} role="status">
        <LastUse of="The old key" at={apiKey.lastUsedAt} /> {isRisky && 'Its users lose access at once. '}
        {isOwn && 'You are signed in with it: this page continues with the new one.'}
      </Notice>
      <NativeSelect
        label="Keep the old key valid"
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        data={overlaps}
        data-autofocus
      />
    </ActionDialog>
  );
}

function describeEnd({ previous }: { previous: ApiKey }): string {
  if (previous.revokedAt !== null) return 'The old key no longer works.';
  return `The old key works until ${formatExact(previous.expiresAt)}.`;
}

/** @param of begins the sentence */
function LastUse({ of, at }: { of: string; at: string | null | undefined }) {
  if (!at) return `${of} was never used.`;
  return (
    <>
      {of} was last used <RelativeTime at={at} isFocusable />.
    </>
  );
}

/** Limited keys may come first. 100 keys are enough to find two keys of all contents among them. */
const lookedAt = 100;

/** Keys that can manage the whole server, at least two of each scope if there are that many: enough to know whether one is the last. */
async function listManagers(api: Api, signal: AbortSignal): Promise<ApiKey[]> {
  const pages = await Promise.all(
    (['admin', 'full'] as const).map((scope) => {
      const query = { status: 'active', scope, limit: lookedAt } as const;
      return api.call('get', path, { params: { query }, signal });
    }),
  );
  return pages.flatMap((page) => page.api_keys).filter(({ contents }) => contents === null);
}

const ownReason = 'You revoked the key that you were signed in with.';

/** Revokes a key after its prefix was typed. */
function RevokeDialog({ apiKey, onClose }: KeyDialogProps) {
  const api = useApi();
  const { session } = useApp();
  const isOwn = useCurrentApiKey().id === apiKey.id;
  const managers = useQuery({
    queryKey: [...keyOf(path), 'managers'],
    queryFn: ({ signal }) => listManagers(api, signal),
    staleTime: 0,
  });
  const revoke = useServerAction({
    mutationFn: () =>
      api.call('delete', '/api/v1/api-keys/{id}', {
        params: { path: { id: apiKey.id }, query: { wait: 'applied' } },
      }),
    changes: [path],
    said: (answer) => (isOwn ? null : `Key revoked${describeApplied(answer)}`),
    onSuccess: () => (isOwn ? session.signOut(ownReason) : onClose()),
  });
  return (
    <TypedConfirmation
      title="Revoke this key"
      expected={apiKey.keyPrefix}
      action="Revoke the key"
      act={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>
        <OutsideText text={apiKey.name} /> is refused everywhere from then on. This cannot be undone.{' '}
        <LastUse of="It" at={apiKey.lastUsedAt} />
      </p>
      {isOwn && (
        <Notice kind="warning" title="This is the key that you are signed in with">
          You will be signed out.
        </Notice>
      )}
      {isLastManager(apiKey, managers.data) && (
        <Notice kind="bad" title="This is the last key that can manage the server">
          After this, you can create a key only with ADMIN_API_KEY, if it is set, or with{' '}
          <code>npx latchkey api-keys create</code> in the Latchkey folder on the database machine.
        </Notice>
      )}
    </TypedConfirmation>
  );
}
