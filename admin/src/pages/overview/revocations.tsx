import { Flex } from '@mantine/core';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatDuration } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { Section } from '../../components/section.tsx';
import { timeColumn } from '../../components/times.tsx';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { type AuditedChange, describeChange, isRevocation } from './audited-changes.ts';
import styles from './overview.module.css';
import { thresholds } from './thresholds.ts';

/** Few enough to read at a glance. */
const shown = 6;

const columns: Column<AuditedChange>[] = [
  { header: 'Change', cell: (change) => <What change={change} /> },
  timeColumn('Time', '9rem', ({ at }) => at),
  { header: 'Time to take effect', width: '12rem', cell: (change) => <Took change={change} /> },
  { header: 'Replicas', width: '30%', cell: (change) => <Reached change={change} /> },
];

/** Recent revocations and changes, and how soon each replica applied them. */
export function Revocations({ changes }: { changes: readonly AuditedChange[] }) {
  return (
    <Section title="Recent revocations and changes">
      <DataTable
        label="Recent revocations and changes"
        columns={columns}
        list={{ rows: chooseShown(changes) }}
        rowId={({ number }) => `${number}`}
        empty={
          <EmptyState icon="stop" title="No revocations since the server started">
            After a revocation, this list shows how soon each replica applied it.
          </EmptyState>
        }
      />
    </Section>
  );
}

/** Prefers revocations if there are too many changes. Newest first. */
function chooseShown(changes: readonly AuditedChange[]): AuditedChange[] {
  const others = changes.filter((change) => !isRevocation(change));
  return [...changes.filter(isRevocation), ...others].slice(0, shown).sort((a, b) => b.number - a.number);
}

function What({ change }: { change: AuditedChange }) {
  const { viewerId, contentId, leaseId } = change;
  return (
    <span className={cell.stack}>
      <span>{describeChange(change)}</span>
      <span className={styles.ids}>
        {viewerId !== null && (
          <Link href={`/leases?viewer=${encodeURIComponent(viewerId)}`}>
            <OutsideText text={viewerId} />
          </Link>
        )}
        {contentId !== null && <Link href={`/content/${encodeURIComponent(contentId)}`}>{contentId}</Link>}
        {leaseId !== null && viewerId === null && (
          <Link href={`/leases?lease=${encodeURIComponent(leaseId)}`}>the lease</Link>
        )}
        {change.kind === 'api-key' && change.audited?.target && <ApiKeyLink id={change.audited.target} />}
      </span>
    </span>
  );
}

/** Links to the key by its prefix, which the list can search. */
function ApiKeyLink({ id }: { id: string }) {
  const known = useApiKeyNames()?.get(id);
  if (!known) return <Link href={`/audit?target=${encodeURIComponent(id)}`}>{id}</Link>;
  return (
    <Link href={`/api-keys?q=${encodeURIComponent(known.keyPrefix)}`} title={id}>
      <OutsideText text={known.name} /> ({known.keyPrefix}…)
    </Link>
  );
}

function Took({ change: { slowestMs, pending } }: { change: AuditedChange }) {
  if (pending.length > 0) return <Badge color="warn">not confirmed</Badge>;
  if (slowestMs === null) return '–';
  const isSlow = slowestMs > thresholds.propagationTargetMs;
  return <Badge color={isSlow ? 'warn' : 'good'}>{formatDuration(slowestMs)}</Badge>;
}

/** Each replica by name, to show which one was late. */
function Reached({ change: { reached, pending } }: { change: AuditedChange }) {
  return (
    <Flex component="small" wrap="wrap" gap="0 0.875rem">
      {reached.map(({ replica, delayMs }) => (
        <span key={replica}>
          {replica} {formatDuration(delayMs)}
        </span>
      ))}
      {pending.map((replica) => (
        <span key={replica}>{replica}: pending</span>
      ))}
    </Flex>
  );
}
