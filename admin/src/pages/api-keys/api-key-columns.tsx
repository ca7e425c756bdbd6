import type { ApiKey } from '../../api/resources.ts';
import type { Column } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { Begin } from './act.ts';
import { ApiKeyMenu } from './api-key-menu.tsx';
import { statusOf } from './api-key-status.ts';
import styles from './api-keys.module.css';
import { StatusBadge } from './status-badge.tsx';

export interface ColumnPorts {
  /** Milliseconds since 1970. */
  now: number;
  /** Of the key that is signed in. */
  ownId: string | null;
  begin: Begin;
}

export function apiKeyColumns({ now, ownId, begin }: ColumnPorts): Column<ApiKey>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      cell: (apiKey) => (
        <span className={styles.identity}>
          <button type="button" className={styles.name} onClick={() => begin({ kind: 'details', apiKey })}>
            <bdi>{apiKey.name}</bdi>
          </button>
          <span className={styles.prefix}>
            <code>{apiKey.keyPrefix}…</code>
            {apiKey.id === ownId && <span className={styles.own}>you are using it</span>}
          </span>
        </span>
      ),
    },
    { id: 'scope', header: 'Scope', width: '6.5rem', cell: ({ scope }) => scope },
    {
      id: 'status',
      header: 'Status',
      width: '8.5rem',
      cell: (apiKey) => <StatusBadge status={statusOf(apiKey, now)} />,
    },
    {
      id: 'lastUsed',
      header: 'Last used',
      width: '8.5rem',
      cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} />,
    },
    {
      id: 'created',
      header: 'Created',
      width: '8.5rem',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'expires',
      header: 'Expires',
      width: '8.5rem',
      cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
    },
    {
      id: 'acts',
      header: 'Actions',
      isHeaderHidden: true,
      width: '3.75rem',
      cell: (apiKey) => <ApiKeyMenu apiKey={apiKey} status={statusOf(apiKey, now)} begin={begin} />,
    },
  ];
}
