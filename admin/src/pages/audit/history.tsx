import { Skeleton } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { AuditRecord } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { Section } from '../../components/section.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { toParams } from '../../state/use-address-filter.ts';
import { type ApiKeyNames, useApiKeyNames } from '../../state/use-api-key-names.ts';
import { nameOfAction, nameOfActorKind } from './actions.ts';
import styles from './audit.module.css';
import { summarize } from './describe-details.ts';
import { type NewestRecordsOptions, useNewestRecords } from './use-newest-records.ts';

/** A short list: the Audit page has all of them. */
const shownRecords = 10;

/** The order of the questions must not change. */
interface HistoryProps extends Pick<NewestRecordsOptions, 'questions' | 'isShown'> {
  /** Ends the sentence "No management action …". */
  about: string;
}

/** Management actions on something, done or refused, newest first and updated live. */
export function History({ about, ...asked }: HistoryProps) {
  const queryKey = ['audit', 'history', asked.questions];
  const { data, error, refetch } = useNewestRecords({ ...asked, queryKey, limit: shownRecords });
  const needsNames = data?.some(({ actor }) => actor.kind === 'api-key') ?? false;
  const names = useApiKeyNames(needsNames);
  if (error) return <ErrorState error={error} onRetry={() => refetch()} />;
  // Waits for the names, so that no line changes its height later.
  if (!data || (needsNames && !names)) return <Skeleton width="100%" height="4rem" />;
  if (data.length === 0) return <p className="quiet">No management action {about}.</p>;
  return (
    <ol className="ruled">
      {data.map((record) => (
        <Entry key={record.id} record={record} names={names} />
      ))}
    </ol>
  );
}

function Entry({ record, names }: { record: AuditRecord; names: ApiKeyNames | undefined }) {
  const { action, actor, person, outcome, code, at, details } = record;
  const name = actor.id && (names?.get(actor.id)?.name ?? actor.id);
  /** Texts of people, each with what comes before it. */
  const texts = [
    [' ', name],
    [', ', person],
    [details?.reason ? ': ' : ': changed ', summarize(details)],
  ] as const;
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
        {nameOfActorKind(actor.kind)}
        {texts.map(
          ([before, text]) =>
            text !== null && (
              <Fragment key={before}>
                {before}
                <OutsideText text={text} />
              </Fragment>
            ),
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
