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

/** Lists audit records: search, details and export. */
export default function AuditPage() {
  const [view, change] = useAuditView();
  const [opened, setOpened] = useState<AuditRecord | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const filter = useMemo(() => toAuditFilter(view), [view]);
  const pages = useCursorPages(JSON.stringify(filter));
  const page = useAuditPage(filter, pages.cursor);
  const names = useApiKeyNames();
  const columns = useMemo(() => auditColumns(setOpened, names ?? new Map()), [names]);
  // Waits for the names, so that no row changes its height later.
  const rows = names && page.rows;
  const showNew = () => {
    page.showNew();
    // New rows are on the first page.
    pages.goFirst();
  };
  return (
    <>
      <PageHead
        title="Audit"
        lead="Every management action, done or refused: who, what, when and from where."
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

/** Shown without rows: the filter matches nothing, or there are no records yet. */
function NoRecords({ view, onChange }: { view: AuditView; onChange: ChangeView }) {
  if (!isNarrowed(view))
    return (
      <EmptyState icon="list" title="No records yet">
        Everything that is created, changed, revoked or refused is recorded here: by whom, when and from
        where.
      </EmptyState>
    );
  const reset = (
    <Button variant="default" onClick={() => onChange(everything)}>
      Clear the filters
    </Button>
  );
  return (
    <EmptyState icon="search" title="No matching records" action={reset}>
      Both searches need the exact ID. For revoked leases, put viewer: or content: in front of it. An actor
      can also be a kind: api-key, bootstrap-key, viewer, anonymous, operator or system.
    </EmptyState>
  );
}
