import { Flex } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { reading } from '../../api/api.ts';
import type { AuditRecord, Statistics } from '../../api/schema.ts';
import type { ChartChange } from '../../charts/time-chart.tsx';
import { formatClock } from '../../components/format-time.ts';
import { withoutDirection } from '../../components/mark-direction.ts';
import { Section } from '../../components/section.tsx';
import { useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { type Span, spanOf, type TimeView } from '../../state/time-range.ts';
import { toParams } from '../../state/use-address-filter.ts';
import { type ApiKeyNames, useApiKeyNames } from '../../state/use-api-key-names.ts';
import { nameOfAction } from '../audit/actions.ts';
import { useNewestRecords } from '../audit/use-newest-records.ts';
import { toInstants } from './use-usage.ts';

/** The actions that change who gets a key. The audit has each of them, and far more leases that applications create. */
const decidingActions = [
  'lease.revoke',
  'mark.lift',
  'viewer.block',
  'viewer.unblock',
  'api-key.create',
  'api-key.update',
  'api-key.rotate',
  'api-key.revoke',
  'content.update',
  'content.disable',
];

/** More marks cannot be told apart. */
const shownChanges = 100;
const listedChanges = 10;

/** A change, and its record in the audit. The start of a process has none: its settings were read then. */
export interface Change extends ChartChange {
  record: AuditRecord | null;
}

/**
 * The revocations and changes of settings within a range, newest first, as soon as the audit has them. Empty for an API key that may not read
 * the audit.
 *
 * @param targets of the audit; all targets without it
 */
export function useChanges(view: TimeView, targets?: readonly string[]): readonly Change[] {
  const { api, clock } = useApp();
  const isAllowed = may(useCurrentApiKey(), 'whole-server');
  const span = spanOf(view, clock.now());
  const { from, to } = toInstants(span);
  // A change of just now must not be missed because the clock of the server is ahead.
  const common = { outcome: 'done', from, to: view.zoomed && to } as const;
  const { data: records } = useNewestRecords({
    queryKey: ['audit', 'changes', view.zoomed ?? view.range, targets ?? null],
    questions: targets
      ? targets.map((target) => ({ ...common, target }))
      : decidingActions.map((action) => ({ ...common, action })),
    isShown: ({ action }) => decidingActions.includes(action),
    limit: shownChanges,
    enabled: isAllowed,
    placeholderData: keepPreviousData,
  });
  const { data: statistics } = useQuery({
    ...reading(api, '/api/v1/statistics', { query: { steps: 1 } }),
    select: (answer) => answer.statistics,
    enabled: isAllowed,
  });
  const names = useApiKeyNames(records?.some(({ action }) => action.startsWith('api-key.')) ?? false);
  const changes = (records ?? []).map((record) => describeRecord(record, names));
  const starts = startsOf(statistics?.processes ?? []).filter(({ at }) => at >= span.from && at <= span.to);
  return [...changes, ...starts].sort((a, b) => b.at - a.at);
}

function describeRecord(record: AuditRecord, names: ApiKeyNames | undefined): Change {
  const { at, action, target } = record;
  const subject = target && withoutDirection(names?.get(target)?.name ?? target);
  const words = nameOfAction(action);
  return { at: Date.parse(at), name: subject ? `${words}, ${subject}` : words, record };
}

/** A process reads its settings when it starts, and never again. */
export function startsOf(processes: Statistics['processes']): Change[] {
  return processes.map(({ service, startedAt }) => ({
    ...{ at: Date.parse(startedAt), name: `${service} started and read its settings`, record: null },
  }));
}

interface ChangeListProps {
  changes: readonly Change[];
  /** The time that the charts show. */
  span: Span;
}

/** The marks of the charts in words, each with its record in the audit. */
export function ChangeList({ changes: read, span }: ChangeListProps) {
  // A range that ends now has moved on since they were read.
  const changes = read.filter(({ at }) => at >= span.from);
  return (
    <Section
      title="Revocations and changes in this time"
      aside={<Link href={`/audit?${toParams(toInstants(span))}`}>All in the audit</Link>}
    >
      {changes.length === 0 && <p className="note">None.</p>}
      <Flex component="ol" direction="column" gap="0.25rem" mb="0.75rem">
        {changes.slice(0, listedChanges).map(({ at, name, record }) => (
          <li key={record?.id ?? `${at} ${name}`}>
            <time className="quiet" dateTime={new Date(at).toISOString()}>
              {formatClock(at, 'dated')}
            </time>{' '}
            {record ? <Link href={auditAddress(record, at)}>{name}</Link> : name}
          </li>
        ))}
      </Flex>
      {changes.length > listedChanges && (
        <p className="note">The audit has the other {changes.length - listedChanges}.</p>
      )}
    </Section>
  );
}

/** The record alone. The end of the range is exclusive. */
function auditAddress({ action, target }: AuditRecord, at: number): string {
  return `/audit?${toParams({ action, target, ...toInstants({ from: at, to: at + 1 }) })}`;
}
