import { Badge } from '@mantine/core';
import type { AuditRecord } from '../../api/audit.ts';
import type { Column } from '../../components/data-table.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { RelativeTime } from '../../components/times.tsx';
import type { ApiKeyNames } from '../../state/use-api-key-names.ts';
import { nameOfAction, nameOfActorKind } from './actions.ts';
import styles from './audit.module.css';

/** @param names of API keys, which the audit identifies by ID */
export function auditColumns(open: (record: AuditRecord) => void, names: ApiKeyNames): Column<AuditRecord>[] {
  return [
    {
      id: 'action',
      header: 'Action',
      cell: (record) => (
        <span className={styles.identity}>
          <button type="button" className={styles.name} onClick={() => open(record)}>
            {nameOfAction(record.action)}
          </button>
          <code className={styles.second}>{record.action}</code>
        </span>
      ),
    },
    {
      id: 'actor',
      header: 'Actor',
      width: '22%',
      cell: ({ actor }) => <ActorCell actor={actor} names={names} />,
    },
    {
      id: 'target',
      header: 'Target',
      width: '25%',
      cell: ({ target }) => (target === null ? '–' : <Named id={target} names={names} />),
    },
    { id: 'outcome', header: 'Outcome', width: '9.5rem', cell: (record) => <OutcomeCell record={record} /> },
    { id: 'at', header: 'Time', width: '9rem', cell: ({ at }) => <RelativeTime at={at} /> },
  ];
}

function Named({ id, names }: { id: string; names: ApiKeyNames }) {
  const known = names.get(id);
  if (!known) return <bdi className={styles.clipped}>{id}</bdi>;
  return (
    <span className={styles.clipped} title={id}>
      <bdi>{known.name}</bdi> <code className={styles.second}>{known.keyPrefix}…</code>
    </span>
  );
}

function ActorCell({ actor: { kind, id }, names }: { actor: AuditRecord['actor']; names: ApiKeyNames }) {
  return (
    <span className={styles.identity}>
      <span>{nameOfActorKind(kind)}</span>
      {id !== null && (
        <span className={styles.second}>
          <Named id={id} names={names} />
        </span>
      )}
    </span>
  );
}

function OutcomeCell({ record: { outcome, code, count = 1 } }: { record: AuditRecord }) {
  return (
    <span className={styles.identity}>
      <Badge color={outcome === 'done' ? 'good' : 'bad'}>
        {count > 1 ? `${outcome} ${formatCount(count)} times` : outcome}
      </Badge>
      {code !== null && <code className={styles.code}>{code}</code>}
    </span>
  );
}
