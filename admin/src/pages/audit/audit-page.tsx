import { TextInput } from '@mantine/core';
import { memo, useCallback, useId, useMemo, useRef, useState } from 'react';
import { auditOrders, auditOutcomes, countedUpTo } from '../../api/resources.ts';
import type { AuditRecord } from '../../api/schema.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterRow, FilterSelect, SearchField } from '../../components/filters.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { LiveBar } from '../../components/live-bar.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { actions, nameOfAction } from './actions.ts';
import styles from './audit.module.css';
import {
  type AuditView,
  type ChangeView,
  everything,
  fromLocalField,
  isBackwards,
  isNarrowed,
  toAuditFilter,
  toLocalField,
  useAuditPage,
  useAuditView,
} from './audit-filter.ts';
import { auditColumns, DetailsDialog } from './audit-record.tsx';
import { ExportMenu } from './export-menu.tsx';

/** Lists audit records: search, details and export. */
export default function AuditPage() {
  const [view, change] = useAuditView();
  const [opened, setOpened] = useState<AuditRecord | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const filter = useMemo(() => toAuditFilter(view), [view]);
  const pages = useCursorPages(JSON.stringify([filter, view.sort]));
  const page = useAuditPage(filter, view.sort, pages.cursor);
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
        empty={<NoRecords view={view} isPartial={page.nextCursor !== null} onChange={change} />}
        error={page.error}
        onRetry={page.reload}
        isUpdating={page.isUpdating}
        sort={sortedBy(view.sort, auditOrders, (sort) => change({ sort }), '-at')}
      />
      {rows && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={page.nextCursor}
          summary={countOf(rows.length, 'record')}
          total={page.total}
          countedUpTo={countedUpTo.audit}
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

interface FilterProps {
  view: AuditView;
  onChange: ChangeView;
}

/** The filters of the table and of an export. */
const FilterBar = memo(function FilterBar({ view, onChange }: FilterProps) {
  const findTarget = useCallback((target: string) => onChange({ target }), [onChange]);
  const findActor = useCallback((actor: string) => onChange({ actor }), [onChange]);
  const known = Object.keys(actions);
  return (
    <FilterRow>
      <SearchField label="Target ID (exact)" value={view.target} onSearch={findTarget} />
      <SearchField label="Actor ID (exact)" value={view.actor} onSearch={findActor} hasShortcut={false} />
      <FilterSelect
        label="Action"
        values={view.action === '' || known.includes(view.action) ? known : [view.action, ...known]}
        labelOf={nameOfAction}
        value={view.action || null}
        onChange={(action) => onChange({ action: action ?? '' })}
      />
      <FilterSelect
        label="Outcome"
        values={auditOutcomes}
        value={view.outcome}
        onChange={(outcome) => onChange({ outcome })}
      />
      <TimeField label="From" value={view.from} onChange={(from) => onChange({ from })} />
      <TimeField label="Until" value={view.to} onChange={(to) => onChange({ to })} />
      {isBackwards(view) && (
        <div className={styles.backwards}>
          <Notice kind="warning" role="status">
            From is not before Until, so there is nothing between them.
          </Notice>
        </div>
      )}
    </FilterRow>
  );
});

interface TimeFieldProps {
  label: string;
  /** ISO 8601, or empty. */
  value: string;
  onChange: (instant: string) => void;
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  const id = useId();
  return (
    <div className={styles.time}>
      <label htmlFor={id}>{label}</label>
      <TextInput
        id={id}
        type="datetime-local"
        value={toLocalField(value)}
        onChange={({ currentTarget }) => onChange(fromLocalField(currentTarget.value))}
      />
    </div>
  );
}

/** Shown without rows: the filter matches nothing, or there are no records yet. */
function NoRecords({ view, isPartial, onChange }: FilterProps & { isPartial: boolean }) {
  if (isPartial)
    return (
      <NoMatches title="No matching records so far" onReset={() => onChange(everything)}>
        The audit is long, and these filters rarely meet. Next searches further.
      </NoMatches>
    );
  if (isNarrowed(view))
    return (
      <NoMatches title="No matching records" onReset={() => onChange(everything)}>
        Both searches need the exact ID. For revoked leases, put viewer: or content: in front of it. An actor
        can also be a kind: api-key, bootstrap-key, viewer, anonymous, operator or system.
      </NoMatches>
    );
  return (
    <EmptyState icon="list" title="No records yet">
      Everything that is created, changed, revoked or refused is recorded here: by whom, when and from where.
    </EmptyState>
  );
}
