import { Button } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import type { AuditRecord } from '../../api/audit.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { LiveBar } from '../../components/live-bar.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { auditColumns } from './audit-columns.tsx';
import {
  type AuditView,
  type ChangeView,
  everything,
  isNarrowed,
  toAuditFilter,
  useAuditView,
} from './audit-filter.ts';
import { DetailsDialog } from './details-dialog.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { pageSize, useAuditPage } from './use-audit-page.ts';

/** What was done and what was refused: found, looked at and saved here. */
export default function AuditPage() {
  const [view, change] = useAuditView();
  const [opened, setOpened] = useState<AuditRecord | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const filter = useMemo(() => toAuditFilter(view), [view]);
  const pages = useCursorPages(JSON.stringify(filter));
  const page = useAuditPage(filter, pages.cursor);
  const names = useApiKeyNames();
  const columns = useMemo(() => auditColumns(setOpened, names ?? new Map()), [names]);
  // With the names, so that no row changes its height before the eyes.
  const rows = names && page.rows;
  const showNew = () => {
    page.takeIn();
    // What is new is on the first page.
    pages.goFirst();
  };
  return (
    <>
      <PageHead
        title="Audit"
        lead="Every act of management, done or refused: who, what, when and from where."
        actions={<ExportMenu filter={filter} />}
      />
      <FilterBar view={view} onChange={change} />
      <LiveBar
        stream={page.stream}
        arrived={page.arrived < pageSize ? page.arrived : `${pageSize} or more`}
        noun="records"
        onShow={showNew}
      />
      <DataTable
        frame={table}
        label="Audit"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        empty={<NoRecords view={view} onChange={change} />}
        error={page.error}
        onRetry={page.reload}
        isUpdating={page.isUpdating}
      />
      {rows && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={page.nextCursor}
          summary={countOf(rows.length, 'record')}
        />
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

/** Where no record is shown: because of the filter, or because nothing was done yet. */
function NoRecords({ view, onChange }: { view: AuditView; onChange: ChangeView }) {
  if (!isNarrowed(view))
    return (
      <EmptyState icon="list" title="Nothing was done yet">
        Whatever is created, changed, revoked or refused is recorded here, with who did it and from where.
      </EmptyState>
    );
  const reset = (
    <Button variant="default" onClick={() => onChange(everything)}>
      Show everything
    </Button>
  );
  return (
    <EmptyState icon="search" title="No record is like that" action={reset}>
      Both searches want the whole of it, letter for letter: an id, and for revoked leases viewer: or content:
      before it. Who may also be a kind: api-key, bootstrap-key, viewer, anonymous, operator or system.
    </EmptyState>
  );
}
