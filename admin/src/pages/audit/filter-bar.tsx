import { NativeSelect, TextInput } from '@mantine/core';
import { useCallback, useId } from 'react';
import { auditOutcomes } from '../../api/audit.ts';
import { FilterRow, SearchField } from '../../components/filters.tsx';
import { Notice } from '../../components/notice.tsx';
import { actions, nameOfAction } from './actions.ts';
import styles from './audit.module.css';
import {
  type AuditView,
  type ChangeView,
  fromLocalField,
  isBackwards,
  toLocalField,
} from './audit-filter.ts';

const outcomeNames = { done: 'Only done', refused: 'Only refused' };

/** The filters of the table and of an export. */
export function FilterBar({ view, onChange }: { view: AuditView; onChange: ChangeView }) {
  const findTarget = useCallback((target: string) => onChange({ target }), [onChange]);
  const findActor = useCallback((actor: string) => onChange({ actor }), [onChange]);
  const known = Object.keys(actions);
  const offered = view.action === '' || known.includes(view.action) ? known : [view.action, ...known];
  return (
    <FilterRow label="Filters">
      <SearchField label="Target ID (exact)" value={view.target} onSearch={findTarget} />
      <SearchField label="Actor ID (exact)" value={view.actor} onSearch={findActor} hasShortcut={false} />
      <NativeSelect
        aria-label="Action"
        value={view.action}
        onChange={({ currentTarget: { value } }) => onChange({ action: value })}
        data={[
          { value: '', label: 'Any action' },
          ...offered.map((value) => ({ value, label: nameOfAction(value) })),
        ]}
      />
      <NativeSelect
        aria-label="Outcome"
        value={view.outcome ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ outcome: (value || null) as AuditView['outcome'] })
        }
        data={[
          { value: '', label: 'Any outcome' },
          ...auditOutcomes.map((value) => ({ value, label: outcomeNames[value] })),
        ]}
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
}

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
