import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AuditRecord } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import type { ColumnSort } from '../../components/column-sort.ts';
import { CopyableValue } from '../../components/copying.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { FactList, type Facts } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { formatExact } from '../../components/format-time.ts';
import { withoutDirection } from '../../components/mark-direction.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { timeColumn } from '../../components/times.tsx';
import type { ApiKeyNames } from '../../state/use-api-key-names.ts';
import { apiKeyAddress } from '../api-keys/api-key-address.ts';
import { viewerAddress } from '../viewers/viewer-address.ts';
import { nameOfAction, nameOfActorKind } from './actions.ts';
import styles from './audit.module.css';
import { type AuditView, auditFilter, readActions } from './audit-filter.ts';
import { describeChange, summarize, targetAddress } from './describe-details.ts';

const { everything } = auditFilter;

const byTime: ColumnSort = { '-at': 'newest first', at: 'oldest first' };

/** One line for each record. The details have everything in full. @param names of API keys, which the audit identifies by ID */
export function auditColumns(open: (record: AuditRecord) => void, names: ApiKeyNames): Column<AuditRecord>[] {
  return [
    {
      header: 'Action',
      cell: (record) => (
        <Line>
          <button type="button" className={styles.action} title={record.action} onClick={() => open(record)}>
            {nameOfAction(record.action)}
          </button>
          <Summary record={record} />
        </Line>
      ),
    },
    {
      header: 'Actor',
      width: '19%',
      cell: ({ actor, person }) => (
        <Line>
          <Actor actor={actor} names={names} />
          {person !== null && (
            <small>
              <OutsideText text={person} isLine />
            </small>
          )}
        </Line>
      ),
    },
    {
      header: 'Target',
      width: '20%',
      cell: (record) => <Line>{record.target === null ? '–' : <Target {...{ record, names }} />}</Line>,
    },
    {
      header: 'Outcome',
      width: '11rem',
      cell: ({ outcome, code, count }) => (
        <Line>
          <Badge color={outcome === 'done' ? 'good' : 'bad'}>
            {count > 1 ? `${outcome} ${formatCount(count)} times` : outcome}
          </Badge>
          {code !== null && (
            <code className={styles.code} title={code}>
              {code}
            </code>
          )}
        </Line>
      ),
    },
    timeColumn('Time', '8rem', ({ at }) => at, byTime),
  ];
}

const Line = ({ children }: { children: ReactNode }) => <span className={styles.line}>{children}</span>;

/** The reason of an act, or what it changed. */
function Summary({ record }: { record: AuditRecord }) {
  const summary = summarize(record.details);
  return (
    summary && (
      <small>
        <OutsideText title={withoutDirection(summary)} text={summary} isLine />
      </small>
    )
  );
}

function Actor({ actor: { kind, id }, names }: { actor: AuditRecord['actor']; names: ApiKeyNames }) {
  const word = nameOfActorKind(kind);
  if (id === null) return word;
  const address = kind === 'api-key' ? apiKeyAddress(id) : kind === 'viewer' ? viewerAddress(id) : null;
  return (
    <>
      <small>{word}</small>
      <Named {...{ id, address, names }} />
    </>
  );
}

function Target({ record, names }: { record: AuditRecord; names: ApiKeyNames }) {
  return <Named id={record.target ?? ''} address={targetAddress(record)} names={names} />;
}

interface NamedProps {
  /** Shown on hover. */
  id: string;
  /** Where it is shown; null for nowhere. */
  address: string | null;
  names: ApiKeyNames;
}

function Named({ id, address, names }: NamedProps) {
  const text = <OutsideText text={names.get(id)?.name ?? id} isLine />;
  const attributes = { className: styles.named, title: withoutDirection(id) };
  return address === null ? (
    <span {...attributes}>{text}</span>
  ) : (
    <Link href={address} {...attributes}>
      {text}
    </Link>
  );
}

interface DetailsDialogProps {
  record: AuditRecord;
  /** The actions that are left out, separated by commas. */
  without: string;
  /** Shows similar records, or leaves them out. */
  onShow: (view: Partial<AuditView>) => void;
  onClose: () => void;
}

export function DetailsDialog({ record, without, onShow, onClose }: DetailsDialogProps) {
  const { actor, person, action, target, outcome, code, affected, count, details } = record;
  const copyable = (text: string | null, what: string) =>
    text === null ? 'unknown' : <CopyableValue text={text} what={what} />;
  const changes = Object.entries(details?.changes ?? {}).map(([name, change]) => [
    `Changed: ${name}`,
    <OutsideText key={name} text={describeChange(change)} />,
  ]);
  const facts: Facts = {
    Time: formatExact(record.at),
    Action: `${nameOfAction(action)} (${action})`,
    Outcome: <Badge color={outcome === 'done' ? 'good' : 'bad'}>{outcome}</Badge>,
    'Error code': code !== null && <code>{code}</code>,
    Actor: nameOfActorKind(actor.kind),
    'Actor ID': actor.id !== null && copyable(actor.id, 'Actor ID'),
    Person: person !== null && copyable(person, 'Person'),
    Target: target === null ? 'none' : copyable(target, 'Target'),
    Reason: details?.reason && <OutsideText text={details.reason} />,
    ...Object.fromEntries(changes),
    'Leases revoked': affected,
    Count: count > 1 && `${formatCount(count)} times within a minute`,
    'Client IP': copyable(record.clientIp, 'Client IP'),
    'Request ID': copyable(record.requestId, 'Request ID'),
    'Record number': record.id,
  };
  return (
    <Dialog title="Audit record" onClose={onClose} width="38rem">
      <FactList facts={facts} />
      <DialogActions>
        <Button
          variant="default"
          onClick={() => onShow({ without: [...readActions(without), action].join() })}
        >
          Leave this action out
        </Button>
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
