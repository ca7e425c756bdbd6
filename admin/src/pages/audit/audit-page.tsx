import { Box } from '@mantine/core';
import { useMemo, useState } from 'react';
import { auditOrders, auditOutcomes, countedUpTo } from '../../api/resources.ts';
import type { AuditRecord } from '../../api/schema.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterSelect, FilterToggle, SearchField, ToggleGroup } from '../../components/filters.tsx';
import { Notice } from '../../components/notice.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { TimeEnds } from '../../components/time-picker.tsx';
import { useCursorPages } from '../../components/use-cursor-pages.ts';
import { useFilter } from '../../state/use-address-filter.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { knownActions, nameOfAction } from './actions.ts';
import { auditFilter, readActions } from './audit-filter.ts';
import { auditColumns, DetailsDialog } from './audit-record.tsx';
import { ExportMenu } from './export-menu.tsx';
import { useAuditPage } from './use-audit-page.ts';

/** Lists audit records: search, details and export. */
export default function AuditPage() {
  const { filter: view, change, field, isNarrowed, reset } = useFilter(auditFilter);
  const [opened, setOpened] = useState<AuditRecord | null>(null);
  const { sort, ...filter } = view;
  const pages = useCursorPages(JSON.stringify([filter, sort]));
  const { showNew, ...page } = useAuditPage(filter, sort, pages.cursor);
  const names = useApiKeyNames();
  const columns = useMemo(() => auditColumns(setOpened, names ?? new Map()), [names]);
  const isUnknown = view.action !== '' && !knownActions.includes(view.action);
  return (
    <ResourcePage
      title="Audit"
      lead="Every management action, done or refused: who, what, when and from where."
      actions={<ExportMenu filter={filter} />}
      filters={
        <>
          <SearchField label="Target ID (exact)" {...field('target')} />
          <SearchField label="Actor ID (exact)" {...field('actor')} hasShortcut={false} />
          <FilterSelect
            label="Action"
            values={isUnknown ? [view.action, ...knownActions] : knownActions}
            labelOf={nameOfAction}
            value={view.action || null}
            onChange={(action) => change({ action: action ?? '' })}
          />
          <FilterSelect label="Outcome" values={auditOutcomes} {...field('outcome')} />
          <LeftOut {...field('without')} />
          <TimeEnds from={field('from')} to={field('to')} />
          {/* False without one of them. */}
          {Date.parse(view.from) >= Date.parse(view.to) && (
            <Box flex="1 1 100%">
              <Notice kind="warning" role="status">
                From is not before Until, so there is nothing between them.
              </Notice>
            </Box>
          )}
        </>
      }
      label="Audit"
      noun="record"
      {...{ pages, columns }}
      // Waits for the names, so that no row changes its height later.
      list={{ ...page, rows: names && page.rows }}
      onShowNew={showNew}
      countedUpTo={countedUpTo.audit}
      sort={sortedBy(sort, auditOrders, (to) => change({ sort: to }), '-at')}
      empty={<NoRecords {...{ isNarrowed, reset }} isPartial={page.nextCursor !== null} />}
    >
      {opened && (
        <DetailsDialog
          record={opened}
          without={view.without}
          onShow={(next) => {
            setOpened(null);
            change(next);
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </ResourcePage>
  );
}

interface LeftOutProps {
  /** Actions, separated by commas. */
  value: string;
  onChange: (without: string) => void;
}

/** Chooses actions that are not shown. Each is a button that shows it again. */
function LeftOut({ value, onChange }: LeftOutProps) {
  const without = readActions(value);
  return (
    <>
      <FilterSelect
        label="Leave out"
        none="Nothing"
        values={knownActions.filter((action) => !without.includes(action))}
        labelOf={nameOfAction}
        value={null}
        onChange={(action) => action && onChange([...without, action].join())}
      />
      {without.length > 0 && (
        <ToggleGroup label="Left out">
          {without.map((action) => (
            <FilterToggle
              key={action}
              isOn
              onToggle={() => onChange(without.filter((each) => each !== action).join())}
            >
              Without: {nameOfAction(action)}
            </FilterToggle>
          ))}
        </ToggleGroup>
      )}
    </>
  );
}

/** Shown without rows: the filter matches nothing, or there are no records yet. */
function NoRecords(props: { isNarrowed: boolean; isPartial: boolean; reset: () => void }) {
  if (props.isPartial)
    return (
      <NoMatches title="No matching records so far" onReset={props.reset}>
        The audit is long, and these filters rarely meet. Next searches further.
      </NoMatches>
    );
  if (props.isNarrowed)
    return (
      <NoMatches title="No matching records" onReset={props.reset}>
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
