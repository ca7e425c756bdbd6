import { Box, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { AuditRecord } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { Section } from '../../components/section.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi } from '../../session/app-context.ts';
import { toParams } from '../../state/use-address-filter.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import { nameOfAction, nameOfActorKind } from './actions.ts';
import styles from './audit.module.css';
import type { AuditQuery } from './audit-filter.ts';
import { summarize } from './describe-details.ts';
import { mergeHistory } from './merge-history.ts';

/** A short list: the Audit page has all of them. */
const shownRecords = 10;

interface HistoryProps {
  /** Questions to the audit whose answers are shown together. Their order must not change. */
  questions: readonly AuditQuery[];
  /** Leaves out records of the answers. */
  isShown?: (record: AuditRecord) => boolean;
  /** Ends the sentence "No management action …". */
  about: string;
}

/** Management actions on something, done or refused, newest first and updated live. */
export function History({ questions, isShown = () => true, about }: HistoryProps) {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', 'history', questions],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        questions.map((question) => {
          const params = { query: { ...question, limit: shownRecords } };
          return api.call('get', '/api/v1/audit', { params, signal });
        }),
      );
      return mergeHistory(
        pages.map(({ audit }) => audit.filter(isShown)),
        shownRecords,
      );
    },
  });
  const needsNames = data?.some(({ actor }) => actor.kind === 'api-key') ?? false;
  const names = useApiKeyNames(needsNames);
  useLiveRefresh(
    () => void refetch(),
    ({ topic }) => topic === 'audit' || topic === 'missed',
  );
  if (error) return <ErrorState error={error} onRetry={() => refetch()} />;
  // Waits for the names, so that no line changes its height later.
  if (!data || (needsNames && !names)) return <Skeleton width="100%" height="4rem" />;
  if (data.length === 0)
    return (
      <Box component="p" c="dimmed">
        No management action {about}.
      </Box>
    );
  return (
    <ol className="ruled">
      {data.map((record) => (
        <Entry
          key={record.id}
          record={record}
          actor={record.actor.id === null ? null : (names?.get(record.actor.id)?.name ?? record.actor.id)}
        />
      ))}
    </ol>
  );
}

/** @param actor the name of an API key, or the ID of another actor; null for one without */
function Entry({ record, actor }: { record: AuditRecord; actor: string | null }) {
  const { action, outcome, code, at, details } = record;
  const summary = summarize(details);
  return (
    <li className={styles.entry}>
      <span className={styles.act}>
        {nameOfAction(action)}
        {outcome === 'refused' && <Badge color="bad">refused</Badge>}
        {code !== null && <code className={styles.code}>{code}</code>}
      </span>
      <span className="note">
        <RelativeTime at={at} isFocusable />
      </span>
      <span className={`note ${styles.who}`}>
        {nameOfActorKind(record.actor.kind)}
        {actor !== null && (
          <>
            {' '}
            <OutsideText text={actor} />
          </>
        )}
        {record.person !== null && (
          <>
            {', '}
            <OutsideText text={record.person} />
          </>
        )}
        {summary !== null && (
          <>
            {details?.reason ? ': ' : ': changed '}
            <OutsideText text={summary} />
          </>
        )}
      </span>
    </li>
  );
}

interface HistorySectionProps extends HistoryProps {
  /** All records of it are in the audit. */
  target: string;
  /** The text of the link to these. */
  link: string;
}

/** The history on the page of something. */
export function HistorySection({ target, link, ...history }: HistorySectionProps) {
  return (
    <Section title="History" aside={<Link href={`/audit?${toParams({ target })}`}>{link}</Link>}>
      <Card>
        <History {...history} />
      </Card>
    </Section>
  );
}
