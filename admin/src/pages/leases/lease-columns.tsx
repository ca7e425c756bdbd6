import { Menu } from '@mantine/core';
import { Link } from 'wouter';
import type { Lease } from '../../api/schema.ts';
import cell from '../../components/cell.module.css';
import { byCreation } from '../../components/column-sort.ts';
import type { Column } from '../../components/data-table.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { phrase } from '../../components/phrase.ts';
import { actionsColumn, RowAction, RowMenu } from '../../components/row-menu.tsx';
import { RelativeTime, timeColumn } from '../../components/times.tsx';
import type { OpenRevocation, RevocationSubject } from './describe-revocation.tsx';
import type { LeaseFilter } from './lease-filter.ts';
import { LeaseEnd, LeaseStateBadge } from './lease-status.tsx';
import styles from './leases.module.css';

/** The leases that are chosen for one act. */
export interface Selection {
  ids: readonly string[];
  toggle: (lease: Lease) => void;
}

const byExpiry = { expiresAt: 'next to end first', '-expiresAt': 'last to end first' };

/**
 * @param open shows the details of a lease
 * @param canSortByExpiry see `lease-filter.ts`
 */
export function leaseColumns(
  open: (leaseId: string) => void,
  selection?: Selection,
  canSortByExpiry = false,
): Column<Lease>[] {
  return [
    {
      header: 'Viewer',
      cell: (lease) => (
        <span className={styles.selectable}>
          {selection && <SelectBox lease={lease} {...selection} />}
          <LeaseIdentity lease={lease} open={open} />
        </span>
      ),
    },
    {
      header: 'Content',
      width: '26%',
      cell: ({ contentId }) => (
        <Link href={`/content/${contentId}`} className={cell.name} data-plain>
          {contentId}
        </Link>
      ),
    },
    { header: 'State', width: '7.5rem', cell: (lease) => <LeaseStateBadge lease={lease} /> },
    {
      header: 'Ends',
      width: '8.5rem',
      cell: (lease) => <LeaseEnd lease={lease} />,
      sort: canSortByExpiry ? byExpiry : undefined,
    },
    timeColumn('Created', '9rem', ({ createdAt }) => createdAt, byCreation),
  ];
}

/** A revoked lease cannot be revoked again. */
function SelectBox({ lease, ids, toggle }: { lease: Lease } & Selection) {
  return (
    <input
      type="checkbox"
      className={styles.select}
      aria-label={`Select ${lease.viewerId} on ${lease.contentId}`}
      checked={ids.includes(lease.id)}
      disabled={lease.state === 'revoked'}
      onChange={() => toggle(lease)}
    />
  );
}

/** The viewer of a lease. A click opens the details. */
function LeaseIdentity({ lease, open }: Pick<LeaseMenuProps, 'lease' | 'open'>) {
  const { id, viewerId, deviceId, kind, lastUsedAt } = lease;
  return (
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
          {lastUsedAt === null ? 'URL not used yet' : phrase`URL used ${<RelativeTime at={lastUsedAt} />}`}
        </small>
      )}
    </span>
  );
}

export function menuColumn(actions: Omit<LeaseMenuProps, 'lease'>): Column<Lease> {
  return actionsColumn((lease) => <LeaseMenu lease={lease} {...actions} />);
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
  const revocations: Record<string, RevocationSubject> = {
    ...(revokedAt === null && { 'Revoke this lease…': { lease } }),
    'Revoke this viewer on this content…': { viewerId, contentId },
    'Revoke every lease of this viewer…': { viewerId },
    'Revoke every lease of this content…': { contentId },
  };
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
      {Object.entries(revocations).map(([words, subject]) => (
        <RowAction key={words} icon="stop" isHarmful onClick={() => revoke(subject)}>
          {words}
        </RowAction>
      ))}
    </RowMenu>
  );
}
