import { Badge } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatDuration } from '../../components/format-numbers.ts';
import { RelativeTime } from '../../components/times.tsx';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { type ActedChange, describeChange, isRevocation } from './named-changes.ts';
import styles from './overview.module.css';
import { thresholds } from './thresholds.ts';

/** As many as are taken in at a glance. */
const shown = 6;

const columns: Column<ActedChange>[] = [
  { id: 'what', header: 'What', cell: (change) => <What change={change} /> },
  { id: 'at', header: 'When', width: '9rem', cell: ({ at }) => <RelativeTime at={at} /> },
  { id: 'took', header: 'In force after', width: '12rem', cell: (change) => <Took change={change} /> },
  { id: 'reached', header: 'Replicas', width: '30%', cell: (change) => <Reached change={change} /> },
];

/** What was revoked or changed of late, and how soon every replica went by it. */
export function Revocations({ changes }: { changes: readonly ActedChange[] }) {
  return (
    <section aria-labelledby="revocations">
      <h2 id="revocations" className={styles.heading}>
        Recent revocations and changes
      </h2>
      <DataTable
        label="Recent revocations and changes"
        columns={columns}
        rows={chooseShown(changes)}
        rowId={({ number }) => `${number}`}
        empty={
          <EmptyState icon="stop" title="Nothing was revoked since the server started">
            Revoke a lease, a key or a content, and how soon each replica went by it is seen here.
          </EmptyState>
        }
        error={null}
        onRetry={() => {}}
      />
    </section>
  );
}

/** Revocations before other changes, where there are too many; newest first. */
function chooseShown(changes: readonly ActedChange[]): ActedChange[] {
  const revocations = changes.filter(isRevocation).slice(0, shown);
  const others = changes.filter((change) => !isRevocation(change)).slice(0, shown - revocations.length);
  return [...revocations, ...others].sort((a, b) => b.number - a.number);
}

function What({ change }: { change: ActedChange }) {
  const { viewerId, contentId, leaseId } = change;
  return (
    <span className={styles.what}>
      <span>{describeChange(change)}</span>
      <span className={styles.ids}>
        {viewerId !== null && (
          <Link href={`/leases?viewer=${encodeURIComponent(viewerId)}`}>
            <bdi>{viewerId}</bdi>
          </Link>
        )}
        {contentId !== null && <Link href={`/content/${encodeURIComponent(contentId)}`}>{contentId}</Link>}
        {leaseId !== null && viewerId === null && (
          <Link href={`/leases?lease=${encodeURIComponent(leaseId)}`}>the lease</Link>
        )}
        {change.kind === 'api-key' && change.act?.target && <ApiKeyLink id={change.act.target} />}
      </span>
    </span>
  );
}

/** Leads to the key by the beginning of it, which the list can be searched for. */
function ApiKeyLink({ id }: { id: string }) {
  const known = useApiKeyNames()?.get(id);
  if (!known) return <Link href={`/audit?target=${encodeURIComponent(id)}`}>{id}</Link>;
  return (
    <Link href={`/api-keys?q=${encodeURIComponent(known.keyPrefix)}`} title={id}>
      <bdi>{known.name}</bdi> ({known.keyPrefix}…)
    </Link>
  );
}

function Took({ change: { slowestMs, pending } }: { change: ActedChange }) {
  if (pending.length > 0) return <Badge color="warn">not everywhere yet</Badge>;
  if (slowestMs === null) return '–';
  const isSlow = slowestMs > thresholds.propagationTargetMs;
  return <Badge color={isSlow ? 'warn' : 'good'}>{formatDuration(slowestMs)}</Badge>;
}

/** Each replica by name: which one was late is what somebody wants to know. */
function Reached({ change: { reached, pending } }: { change: ActedChange }) {
  return (
    <span className={styles.reached}>
      {reached.map(({ replica, delayMs }) => (
        <span key={replica}>
          {replica} {formatDuration(delayMs)}
        </span>
      ))}
      {pending.map((replica) => (
        <span key={replica}>{replica} not yet</span>
      ))}
    </span>
  );
}
