import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LiveBar } from '../../components/live-bar.tsx';
import { ActiveCount, useLeaseCounts } from '../leases/active-count.tsx';
import { createdColumn, endColumn, stateColumn, viewerColumn } from '../leases/lease-columns.tsx';
import { addressOf } from '../leases/lease-filter.ts';
import { RevokeDialog } from '../leases/revoke-dialog.tsx';
import { useLeasePage } from '../leases/use-lease-page.ts';
import styles from './content.module.css';

/** A short list: the Leases page has all of them. */
const shownLeases = 8;

/** The active leases of a content, updated live. */
export function ContentLeases({ contentId }: { contentId: string }) {
  const [, navigate] = useLocation();
  const [isRevoking, setRevoking] = useState(false);
  const page = useLeasePage({ contentId, state: 'active', limit: shownLeases }, null);
  const counts = useLeaseCounts({ contentId }, page);
  const columns = useMemo(
    () => [
      viewerColumn((leaseId) => navigate(`${addressOf({ contentId })}&lease=${leaseId}`)),
      stateColumn,
      endColumn,
      createdColumn,
    ],
    [navigate, contentId],
  );
  return (
    <section aria-labelledby="content-leases">
      <div className={styles.leases}>
        <h2 id="content-leases">Leases</h2>
        <Link href={addressOf({ contentId })}>All of this content</Link>
        <Button variant="light" color="bad" size="compact-md" onClick={() => setRevoking(true)}>
          Revoke every lease of this content…
        </Button>
      </div>
      <LiveBar arrived={page.arrived} noun="leases" onShow={page.reload}>
        <ActiveCount {...counts} />
      </LiveBar>
      <DataTable
        label="Active leases of this content"
        columns={columns}
        rows={page.rows}
        rowId={({ id }) => id}
        empty={
          <EmptyState icon="clock" title="No active leases">
            New leases appear here at once.
          </EmptyState>
        }
        error={page.error}
        onRetry={page.reload}
        isUpdating={page.isUpdating}
      />
      {isRevoking && <RevokeDialog subject={{ contentId }} onClose={() => setRevoking(false)} />}
    </section>
  );
}
