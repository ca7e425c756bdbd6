import { Button } from '@mantine/core';
import { EmptyState } from '../../components/empty-state.tsx';
import { type AuditView, everything, isNarrowed } from './audit-filter.ts';
import type { ChangeView } from './use-audit-view.ts';

/** Where no record is shown: because of the filter, or because nothing was done yet. */
export function NoRecords({ view, onChange }: { view: AuditView; onChange: ChangeView }) {
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
