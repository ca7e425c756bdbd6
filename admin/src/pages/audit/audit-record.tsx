import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { AuditRecord } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import type { ColumnSort } from '../../components/column-sort.ts';
import { CopyableValue } from '../../components/copying.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { FactList, type Facts } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { formatExact } from '../../components/format-time.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { timeColumn } from '../../components/times.tsx';
import type { ApiKeyNames } from '../../state/use-api-key-names.ts';
import { nameOfAction, nameOfActorKind } from './actions.ts';
import styles from './audit.module.css';
import { type AuditView, auditFilter } from './audit-filter.ts';
import { describeChange, summarize, targetAddress } from './describe-details.ts';

const { everything } = auditFilter;

const byTime: ColumnSort = {
  by: 'at',
  ascending: 'oldest first',
  descending: 'newest first',
  isDescendingFirst: true,
};

/** A record as a row. @param names of API keys, which the audit identifies by ID */
export function auditColumns(open: (record: AuditRecord) => void, names: ApiKeyNames): Column<AuditRecord>[] {
  return [
    {
      header: 'Action',
      cell: (record) => (
        <span className={`${cell.identity} ${styles.identity}`}>
          <button type="button" className={cell.name} onClick={() => open(record)}>
            {nameOfAction(record.action)}
          </button>
          <code className={styles.second}>{record.action}</code>
          <Summary record={record} />
        </span>
      ),
    },
    { header: 'Actor', width: '22%', cell: (record) => <ActorCell record={record} names={names} /> },
    { header: 'Target', width: '25%', cell: (record) => <TargetCell record={record} names={names} /> },
    { header: 'Outcome', width: '9.5rem', cell: (record) => <OutcomeCell record={record} /> },
    timeColumn('Time', '9rem', ({ at }) => at, byTime),
  ];
}

/** The reason of an act, or what it changed. */
function Summary({ record }: { record: AuditRecord }) {
  const summary = summarize(record.details);
  return summary === null ? null : <OutsideText className={styles.clipped} text={summary} />;
}

function TargetCell({ record, names }: { record: AuditRecord; names: ApiKeyNames }) {
  const address = targetAddress(record);
  if (record.target === null) return '–';
  const name = <Named id={record.target} names={names} />;
  return address === null ? (
    name
  ) : (
    <Link href={address} className={styles.target}>
      {name}
    </Link>
  );
}

function Named({ id, names }: { id: string; names: ApiKeyNames }) {
  const known = names.get(id);
  if (!known) return <OutsideText className={styles.clipped} text={id} />;
  return (
    <span className={styles.clipped} title={id}>
      <OutsideText text={known.name} /> <code className={styles.second}>{known.keyPrefix}…</code>
    </span>
  );
}

function ActorCell({ record, names }: { record: AuditRecord; names: ApiKeyNames }) {
  const { kind, id } = record.actor;
  return (
    <span className={`${cell.identity} ${styles.identity}`}>
      <span>{nameOfActorKind(kind)}</span>
      {id !== null && (
        <span className={styles.second}>
          <Named id={id} names={names} />
        </span>
      )}
      {record.person !== null && (
        <span className={styles.second}>
          <OutsideText text={record.person} />
        </span>
      )}
    </span>
  );
}

function OutcomeCell({ record: { outcome, code, count = 1 } }: { record: AuditRecord }) {
  return (
    <span className={`${cell.identity} ${styles.identity}`}>
      <Badge color={outcome === 'done' ? 'good' : 'bad'}>
        {count > 1 ? `${outcome} ${formatCount(count)} times` : outcome}
      </Badge>
      {code !== null && <code className={styles.code}>{code}</code>}
    </span>
  );
}

interface DetailsDialogProps {
  record: AuditRecord;
  /** Shows similar records. */
  onShow: (view: AuditView) => void;
  onClose: () => void;
}

/** All details of one record. */
export function DetailsDialog({ record, onShow, onClose }: DetailsDialogProps) {
  const {
    id,
    at,
    actor,
    person,
    action,
    target,
    clientIp,
    requestId,
    outcome,
    code,
    affected,
    count = 1,
    details,
  } = record;
  const copyable = (text: string | null, what: string) =>
    text === null ? 'unknown' : <CopyableValue text={text} what={what} />;
  const changes = Object.entries(details?.changes ?? {}).map(([name, change]) => [
    `Changed: ${name}`,
    <OutsideText key={name} text={describeChange(change)} />,
  ]);
  const facts: Facts = {
    Time: formatExact(at),
    Action: `${nameOfAction(action)} (${action})`,
    Outcome: <Badge color={outcome === 'done' ? 'good' : 'bad'}>{outcome}</Badge>,
    'Error code': code !== null && <code>{code}</code>,
    Actor: nameOfActorKind(actor.kind),
    'Actor ID': actor.id !== null && copyable(actor.id, 'Actor ID'),
    Person: person !== null && copyable(person, 'Person'),
    Target: target === null ? 'none' : copyable(target, 'Target'),
    Reason: details?.reason && <OutsideText text={details.reason} />,
    ...Object.fromEntries(changes),
    'Leases revoked': typeof affected === 'number' && String(affected),
    Count: count > 1 && `${formatCount(count)} times within a minute`,
    'Client IP': copyable(clientIp, 'Client IP'),
    'Request ID': copyable(requestId, 'Request ID'),
    'Record number': id,
  };
  return (
    <Dialog title="Audit record" onClose={onClose} width="38rem">
      <FactList facts={facts} />
      <DialogActions>
        <Button variant="default" onClick={() => onShow({ ...everything, actor: actor.id ?? actor.kind })}>
          Records of this actor
        </Button>
        {target !== null && (
          <Button variant="default" onClick={() => onShow({ ...everything, target })}>
            Records of this target
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
