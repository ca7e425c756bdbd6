import { Link } from 'wouter';
import type { Lease } from '../../api/resources.ts';
import type { Column } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { LeaseMenu, type LeaseMenuProps } from './lease-menu.tsx';
import { LeaseEnd, LeaseStateBadge } from './lease-status.tsx';
import styles from './leases.module.css';

export type LeaseColumnPorts = Omit<LeaseMenuProps, 'lease'>;

/** Whose lease it is; leads to its details. */
export function viewerColumn(open: (leaseId: string) => void): Column<Lease> {
  return {
    id: 'viewer',
    header: 'Viewer',
    cell: ({ id, viewerId, deviceId }) => (
      <span className={styles.identity}>
        <button type="button" className={styles.name} onClick={() => open(id)}>
          <bdi>{viewerId}</bdi>
        </button>
        {deviceId !== null && (
          <span className={styles.device}>
            on <bdi>{deviceId}</bdi>
          </span>
        )}
      </span>
    ),
  };
}

export const stateColumn: Column<Lease> = {
  id: 'state',
  header: 'State',
  width: '7.5rem',
  cell: (lease) => <LeaseStateBadge lease={lease} />,
};

export const endColumn: Column<Lease> = {
  id: 'end',
  header: 'Ends',
  width: '8.5rem',
  cell: (lease) => <LeaseEnd lease={lease} />,
};

export const createdColumn: Column<Lease> = {
  id: 'created',
  header: 'Created',
  width: '9rem',
  cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
};

export function leaseColumns(ports: LeaseColumnPorts): Column<Lease>[] {
  return [
    viewerColumn(ports.open),
    {
      id: 'content',
      header: 'Content',
      width: '26%',
      cell: ({ contentId }) => (
        <Link href={`/content/${contentId}`} className={styles.content}>
          {contentId}
        </Link>
      ),
    },
    stateColumn,
    endColumn,
    createdColumn,
    {
      id: 'acts',
      header: 'Actions',
      isHeaderHidden: true,
      width: '3.75rem',
      cell: (lease) => <LeaseMenu lease={lease} {...ports} />,
    },
  ];
}
