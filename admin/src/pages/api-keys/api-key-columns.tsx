import { Link } from 'wouter';
import type { ApiKey } from '../../api/schema.ts';
import { StatusBadge } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import { byCreation } from '../../components/column-sort.ts';
import type { Column } from '../../components/data-table.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { actionsColumn, RowAction, RowMenu } from '../../components/row-menu.tsx';
import { timeColumn } from '../../components/times.tsx';
import { useNow } from '../../state/time.ts';
import { apiKeyAddress } from './api-key-address.ts';
import { isUsable, statusOf } from './api-key-rules.ts';
import styles from './api-keys.module.css';

export type OpenDialog = { kind: 'create' } | { kind: 'rotate' | 'revoke'; apiKey: ApiKey };

type ShowDialog = (dialog: OpenDialog) => void;

/** @param ownId of the signed-in key */
export function apiKeyColumns(ownId: string | null, showDialog: ShowDialog): Column<ApiKey>[] {
  return [
    {
      header: 'Name',
      cell: (apiKey) => (
        <span className={cell.identity}>
          <Link href={apiKeyAddress(apiKey.id)} className={cell.name}>
            <OutsideText text={apiKey.name} />
          </Link>
          <small className={styles.prefix}>
            <code>{apiKey.keyPrefix}…</code>
            {apiKey.id === ownId && <span className={styles.own}>your current key</span>}
          </small>
        </span>
      ),
    },
    {
      header: 'Scope',
      width: '8.5rem',
      cell: ({ scope, contents }) => (
        <span className={cell.identity}>
          {scope}
          {contents && (
            <small>
              <OutsideText text={describeContents(contents)} />
            </small>
          )}
        </span>
      ),
    },
    { header: 'Status', width: '8.5rem', cell: (apiKey) => <ApiKeyStatus apiKey={apiKey} /> },
    timeColumn('Last used', '8.5rem', ({ lastUsedAt }) => lastUsedAt),
    timeColumn('Created', '8.5rem', ({ createdAt }) => createdAt, byCreation),
    timeColumn('Expires', '8.5rem', ({ expiresAt }) => expiresAt, {
      expiresAt: 'next to expire first',
      '-expiresAt': 'last to expire first',
    }),
    actionsColumn((apiKey) => <ApiKeyMenu apiKey={apiKey} showDialog={showDialog} />),
  ];
}

/** The first pattern, and how many more there are. The details of the key have all. */
function describeContents([first = 'no contents', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

export function ApiKeyStatus({ apiKey }: { apiKey: ApiKey }) {
  return <StatusBadge status={statusOf(apiKey, useNow())} />;
}

/** Actions for one key. */
function ApiKeyMenu({ apiKey, showDialog }: { apiKey: ApiKey; showDialog: ShowDialog }) {
  return (
    isUsable(apiKey, useNow()) && (
      <RowMenu name={apiKey.name} width="11rem">
        <RowAction icon="rotate" onClick={() => showDialog({ kind: 'rotate', apiKey })}>
          Rotate…
        </RowAction>
        <RowAction icon="stop" isHarmful onClick={() => showDialog({ kind: 'revoke', apiKey })}>
          Revoke…
        </RowAction>
      </RowMenu>
    )
  );
}
