import { Menu } from '@mantine/core';
import { Link } from 'wouter';
import type { Lease } from '../../api/schema.ts';
import cell from '../../components/cell.module.css';
import { byCreation } from '../../components/column-sort.ts';
import type { Column } from '../../components/data-table.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { actionsColumn, RowAction, RowMenu } from '../../components/row-menu.tsx';
import { RelativeTime, timeColumn } from '../../components/times.tsx';
import type { OpenRevocation } from './describe-revocation.tsx';
import type { LeaseFilter } from './lease-filter.ts';
import { LeaseEnd, LeaseStateBadge } from './lease-status.tsx';
import styles from './leases.module.css';

type LeaseActions = Omit<LeaseMenuProps, 'lease'>;

/** The viewer of a lease. A click opens the details. */
export function viewerColumn(open: (leaseId: string) => void): Column<Lease> {
  return {
    header: 'Viewer',
    cell: ({ id, viewerId, deviceId, kind, lastUsedAt }) => (
      <span className={cell.identity}>
        <button type="button" className={cell.name} onClick={() => open(id)}>
          <OutsideText text={viewerId} />
        </button>
        {deviceId !== null && (
          <small className="cut">
            on <OutsideText text={deviceId} />
          </small>
        )}
        {kind === 'session' && (
          <small className="cut">
            {lastUsedAt === null ? (
              'URL not used yet'
            ) : (
              <>
                URL used <RelativeTime at={lastUsedAt} />
              </>
            )}
          </small>
        )}
      </span>
    ),
  };
}

export const stateColumn: Column<Lease> = {
  header: 'State',
  width: '7.5rem',
  cell: (lease) => <LeaseStateBadge lease={lease} />,
};

export const endColumn: Column<Lease> = {
  header: 'Ends',
  width: '8.5rem',
  cell: (lease) => <LeaseEnd lease={lease} />,
};

export const createdColumn = timeColumn<Lease>('Created', '9rem', ({ createdAt }) => createdAt, byCreation);

/** The leases that are chosen for one act. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (lease: Lease) => void;
}

/** The viewer behind a checkbox. A revoked lease cannot be revoked again. */
function selectableColumn({ ids, toggle }: Selection, column: Column<Lease>): Column<Lease> {
  return {
    ...column,
    cell: (lease) => (
      <span className={styles.selectable}>
        <input
          type="checkbox"
          className={styles.select}
          aria-label={`Select ${lease.viewerId} on ${lease.contentId}`}
          checked={ids.has(lease.id)}
          disabled={lease.state === 'revoked'}
          onChange={() => toggle(lease)}
        />
        {column.cell(lease)}
      </span>
    ),
  };
}

const byExpiry = { expiresAt: 'next to end first', '-expiresAt': 'last to end first' };

/** @param canSortByExpiry see `lease-filter.ts` */
export function leaseColumns(
  actions: LeaseActions,
  selection?: Selection,
  canSortByExpiry = false,
): Column<Lease>[] {
  const viewer = viewerColumn(actions.open);
  return [
    selection ? selectableColumn(selection, viewer) : viewer,
    {
      header: 'Content',
      width: '26%',
      cell: ({ contentId }) => (
        <Link href={`/content/${contentId}`} className={cell.name} data-plain>
          {contentId}
        </Link>
      ),
    },
    stateColumn,
    canSortByExpiry ? { ...endColumn, sort: byExpiry } : endColumn,
    createdColumn,
    actionsColumn((lease) => <LeaseMenu lease={lease} {...actions} />),
  ];
}

interface LeaseMenuProps {
  lease: Lease;
  open: (leaseId: string) => void;
  narrow: (part: Partial<LeaseFilter>) => void;
  revoke: OpenRevocation;
}

/** Actions for one lease and for similar leases. */
function LeaseMenu({ lease, open, narrow, revoke }: LeaseMenuProps) {
  const { id, viewerId, contentId, revokedAt } = lease;
  return (
    <RowMenu name={`${viewerId} on ${contentId}`} width="17rem">
      <RowAction icon="info" onClick={() => open(id)}>
        Details
      </RowAction>
      <RowAction icon="person" onClick={() => narrow({ viewer: viewerId })}>
        Only this viewer
      </RowAction>
      <RowAction icon="film" onClick={() => narrow({ content: contentId })}>
        Only this content
      </RowAction>
      <Menu.Divider />
      {revokedAt === null && (
        <RowAction icon="stop" isHarmful onClick={() => revoke({ lease })}>
          Revoke this lease…
        </RowAction>
      )}
      <RowAction icon="stop" isHarmful onClick={() => revoke({ viewerId, contentId })}>
        Revoke this viewer on this content…
      </RowAction>
      <RowAction icon="stop" isHarmful onClick={() => revoke({ viewerId })}>
        Revoke every lease of this viewer…
      </RowAction>
      <RowAction icon="stop" isHarmful onClick={() => revoke({ contentId })}>
        Revoke every lease of this content…
      </RowAction>
    </RowMenu>
  );
}
