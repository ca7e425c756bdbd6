import { Button } from '@mantine/core';
import type { ApiKey } from '../../api/resources.ts';
import { CopyableValue } from '../../components/copying.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatExact } from '../../components/format-time.ts';
import { scopeMeanings } from '../../session/permissions.ts';
import { useNow } from '../../state/time.ts';
import { type ShowDialog, StatusBadge } from './api-key-columns.tsx';
import { isUsable, statusOf } from './api-key-rules.ts';

const timeOf = (at: string | null | undefined) => (at ? formatExact(new Date(at)) : 'never');

/** All details of a key, with exact times. */
export function DetailsDialog({
  apiKey,
  showDialog,
  onClose,
}: {
  apiKey: ApiKey;
  showDialog: ShowDialog;
  onClose: () => void;
}) {
  const { id, name, keyPrefix, scope, createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey;
  const status = statusOf(apiKey, useNow());
  return (
    <Dialog title="API key" onClose={onClose} width="36rem">
      <FactList
        facts={[
          ['Name', <bdi key="name">{name}</bdi>],
          ['Status', <StatusBadge key="status" status={status} />],
          ['Scope', `${scope}. ${scopeMeanings[scope]}`],
          ['Prefix', <CopyableValue key="prefix" text={keyPrefix} what="key prefix" />],
          ['ID', <CopyableValue key="id" text={id} what="ID" />],
          ['Created', timeOf(createdAt)],
          ['Last used', timeOf(lastUsedAt)],
          ['Expires', timeOf(expiresAt)],
          ...(revokedAt ? [['Revoked', timeOf(revokedAt)] as const] : []),
        ]}
      />
      {isUsable(status) && (
        <DialogActions>
          <Button variant="default" onClick={() => showDialog({ kind: 'rotate', apiKey })}>
            Rotate…
          </Button>
          <Button color="bad" variant="light" onClick={() => showDialog({ kind: 'revoke', apiKey })}>
            Revoke…
          </Button>
        </DialogActions>
      )}
    </Dialog>
  );
}
