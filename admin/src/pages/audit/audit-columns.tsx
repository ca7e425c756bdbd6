import type { AuditRecord } from '../../api/audit.ts';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { nameOfAction, nameOfActorKind } from './actions.ts';
import styles from './audit.module.css';

export function auditColumns(open: (record: AuditRecord) => void): Column<AuditRecord>[] {
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
    { id: 'actor', header: 'Who', width: '22%', cell: ({ actor }) => <ActorCell {...actor} /> },
    {
      id: 'target',
      header: 'To what',
      width: '25%',
      cell: ({ target }) => (target === null ? '–' : <bdi className={styles.clipped}>{target}</bdi>),
    },
    { id: 'outcome', header: 'Outcome', width: '9.5rem', cell: (record) => <OutcomeCell record={record} /> },
    { id: 'at', header: 'When', width: '9rem', cell: ({ at }) => <RelativeTime at={at} /> },
  ];
}

function ActorCell({ kind, id }: AuditRecord['actor']) {
  return (
    <span className={styles.identity}>
      <span>{nameOfActorKind(kind)}</span>
      {id !== null && <bdi className={`${styles.second} ${styles.clipped}`}>{id}</bdi>}
    </span>
  );
}

function OutcomeCell({ record: { outcome, code } }: { record: AuditRecord }) {
  return (
    <span className={styles.identity}>
      <Badge kind={outcome === 'done' ? 'good' : 'bad'}>{outcome}</Badge>
      {code !== null && <code className={styles.code}>{code}</code>}
    </span>
  );
}
