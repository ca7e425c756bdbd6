import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type RotatedApiKey, rotateApiKey } from '../../api/api-keys.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { ApiKey } from '../../api/resources.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { formatExact } from '../../components/format-time.ts';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { useNow } from '../../state/time.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { isInUse, overlaps, usualOverlap } from './api-key-rules.ts';

/** Replaces a key. The old one stays valid for a while. */
export function RotateDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const api = useApi();
  const { session, issuedKey } = useApp();
  const isOwn = useCurrentApiKey().id === apiKey.id;
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState(usualOverlap);
  const rotate = useServerAction({
    mutationFn: () => {
      const rotateIt = () => rotateApiKey(api, apiKey.id, Number(overlap));
      return isOwn ? session.replace(rotateIt) : rotateIt();
    },
    onSuccess: (rotated) => {
      void queries.invalidateQueries({ queryKey: queryKeys.apiKeys });
      issuedKey.set({ issued: rotated, note: describeEnd(rotated) });
      onClose();
    },
  });
  return (
    <Dialog title="Rotate this key" onClose={onClose}>
      <p>
        <bdi>{apiKey.name}</bdi> gets a new key with the same scope and expiry. Give it to the users of the
        old key (<code>{apiKey.keyPrefix}…</code>) before that key ends.
      </p>
      <LastUse apiKey={apiKey} isOwn={isOwn} endsNow={overlap === '0'} />
      <NativeSelect
        label="Keep the old key valid"
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        data={overlaps}
        data-autofocus
      />
      <ErrorNotice error={rotate.error} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={() => rotate.mutate()} loading={rotate.isPending}>
          Rotate the key
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function describeEnd({ previous }: RotatedApiKey): string {
  if (previous.revokedAt !== null) return 'The old key no longer works.';
  return `The old key works until ${formatExact(new Date(previous.expiresAt as string))}.`;
}

interface LastUseProps {
  apiKey: ApiKey;
  isOwn: boolean;
  /** Whether the key ends without an overlap. */
  endsNow: boolean;
}

/** The last use of the old key, and its meaning for the rotation. */
function LastUse({ apiKey, isOwn, endsNow }: LastUseProps) {
  const now = useNow();
  const isRisky = endsNow && !isOwn && isInUse(apiKey.lastUsedAt, now);
  return (
    <Notice kind={isRisky ? 'warning' : 'info'} role="status">
      {apiKey.lastUsedAt ? (
        <>
          The old key was last used <RelativeTime at={apiKey.lastUsedAt} isFocusable />.{' '}
        </>
      ) : (
        'The old key was never used. '
      )}
      {isRisky && 'Its users lose access at once. '}
      {isOwn && 'You are signed in with it: this page continues with the new one.'}
    </Notice>
  );
}
