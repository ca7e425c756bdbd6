import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { AuditRecord } from '../../api/audit.ts';
import { DataTable } from '../../components/data-table.tsx';
import { countOf, formatCount } from '../../components/format-count.ts';
import { Icon } from '../../components/icon.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { useCursorPages } from '../../components/use-cursor-pages.ts';
import styles from './audit.module.css';
import { auditColumns } from './audit-columns.tsx';
import { toAuditFilter } from './audit-filter.ts';
import { DetailsDialog } from './details-dialog.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { NoRecords } from './no-records.tsx';
import { type LiveAudit, pageSize, useAuditPage } from './use-audit-page.ts';
import { useAuditView } from './use-audit-view.ts';

/** What was done and what was refused: found, looked at and saved here. */
export default function AuditPage() {
  const [view, change] = useAuditView();
  const [opened, setOpened] = useState<AuditRecord | null>(null);
  const [readings, setReadings] = useState(0);
  const filter = useMemo(() => toAuditFilter(view), [view]);
  const pages = useCursorPages(`${readings} ${JSON.stringify(filter)}`);
  const page = useAuditPage(filter, pages.cursor);
  const columns = useMemo(() => auditColumns(setOpened), []);
  const showNew = () => {
    page.takeIn();
    // What is new is on the first page.
    setReadings((count) => count + 1);
  };
  return (
    <>
      <PageHead
        title="Audit"
        lead="Every act of management, done or refused: who, what, when and from where."
        actions={<ExportMenu filter={filter} />}
      />
      <FilterBar view={view} onChange={change} />
      <LiveBar page={page} onShow={showNew} />
      <DataTable
        label="Audit"
        columns={columns}
        rows={page.rows}
        rowId={({ id }) => id}
        empty={<NoRecords view={view} onChange={change} />}
        error={page.error}
        onRetry={page.reload}
        isUpdating={page.isUpdating}
      />
      {page.rows && (
        <Pager pages={pages} nextCursor={page.nextCursor} summary={countOf(page.rows.length, 'record')} />
      )}
      {opened && (
        <DetailsDialog
          record={opened}
          onShow={(next) => {
            setOpened(null);
            change(next);
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

/** Between the filters and the table: whether it follows the server, and what is new. */
function LiveBar({ page: { stream, arrived }, onShow }: { page: LiveAudit; onShow: () => void }) {
  return (
    <div className={styles.bar}>
      <LiveBadge state={stream} />
      {arrived > 0 && (
        <Button size="compact-md" variant="light" leftSection={<Icon name="up" size={16} />} onClick={onShow}>
          {arrived < pageSize ? formatCount(arrived) : `${pageSize} or more`} new
        </Button>
      )}
      {/* Said once, not with each record: the button has the number. */}
      <span role="status" className="visually-hidden">
        {arrived > 0 && 'New records have come.'}
      </span>
    </div>
  );
}
