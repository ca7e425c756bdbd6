import { Flex } from '@mantine/core';
import { Link } from 'wouter';
import type { ConfigurationWarning } from '../../api/resources.ts';
import type { Statistics } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import cell from '../../components/cell.module.css';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { Section } from '../../components/section.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { linkOfConcern, linksOfWarnings } from './concerns.ts';
import styles from './overview.module.css';

const severities = { bad: 'Urgent', warning: 'Warning' };

interface AttentionListProps {
  statistics: Statistics;
  /** Whether the figures are current, not from before a connection loss. */
  isCurrent: boolean;
}

/** Open problems with what to do about them, or one line if there are none. */
export function AttentionList({ statistics, isCurrent }: AttentionListProps) {
  const { concerns } = statistics;
  return (
    <section aria-labelledby="attention">
      <h2 id="attention" className="visually-hidden">
        Needs attention
      </h2>
      {concerns.length === 0 ? (
        <Notice kind={isCurrent ? 'good' : 'info'} role="none">
          {isCurrent ? 'All clear.' : 'No problems when the server last answered.'}
        </Notice>
      ) : (
        <Flex component="ul" direction="column" gap="0.5rem">
          {concerns.map((concern) => {
            const { id, severity, title, advice } = concern;
            const link = linkOfConcern(concern, statistics);
            return (
              <li key={id}>
                <Notice
                  kind={severity}
                  role="none"
                  title={
                    <>
                      <span className="visually-hidden">{severities[severity]}: </span>
                      <OutsideText text={title} />
                    </>
                  }
                >
                  {advice} {link && <Link href={link.href}>{link.label}</Link>}
                </Notice>
              </li>
            );
          })}
        </Flex>
      )}
      {/* Announced only when it changes: the list itself is redrawn every few seconds. */}
      <p role="status" className="visually-hidden">
        {concerns.map(({ title }) => title).join('. ')}
      </p>
    </section>
  );
}

/** Dependencies and replicas of the server. */
export function Health({ statistics: { ready, dependencies, replicas } }: { statistics: Statistics }) {
  return (
    <Card>
      <Section
        title={
          <>
            Health <Badge color={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>
          </>
        }
      >
        <ul className={`ruled ${styles.rows}`}>
          {Object.entries(dependencies).map(([name, state]) => (
            <li key={name}>
              <span className={cell.stack}>
                {names[name] ?? name}
                <small>{describeDependency(state)}</small>
              </span>
              <Badge color={state.status === 'up' ? 'good' : 'bad'}>{state.status}</Badge>
            </li>
          ))}
          {replicas.map(({ replica, startedAt }) => (
            <li key={replica}>
              <span className={cell.stack}>
                {replicas.length === 1 ? 'Serves keys' : 'Replica that serves keys'}
                <small>{replica}</small>
              </span>
              <small>
                up since <RelativeTime at={startedAt} isFocusable />
              </small>
            </li>
          ))}
        </ul>
      </Section>
    </Card>
  );
}

/** Name of each part of the server. */
const names: Record<string, string> = {
  database: 'The database',
  migrations: 'The schema',
  feed: 'The change feed',
  bus: 'The bus',
  cache: 'The cache',
  'master-key': 'The master key',
  process: 'This process',
  auth: 'The auth service',
  content: 'The content service',
  leases: 'The lease service',
  playback: 'The playback service',
  'key-derivation': 'Key derivation',
};

/** Details from `/ready` in one line: "3 addresses", "version 12". */
function describeDependency({ status: _, ...facts }: { status: string } & Record<string, unknown>): string {
  return Object.entries(facts)
    .flatMap(([name, value]) => {
      if (typeof value === 'boolean') return value ? [wordsOf(name)] : [];
      if (typeof value !== 'string' && typeof value !== 'number') return [];
      return [name === 'kind' ? `${value}` : `${wordsOf(name)} ${value}`];
    })
    .join(', ');
}

/** `roundTripMs` as "round trip ms". */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Settings that are right for some servers and wrong for others. Risky settings are listed at the top of the page instead. */
export function ConfigurationNotes({ warnings }: { warnings: readonly ConfigurationWarning[] }) {
  const notes = warnings.filter(({ severity }) => severity === 'notice');
  return (
    <Card>
      <Section title="Recommendations">
        {notes.length === 0 ? (
          <p className="note">No recommendations.</p>
        ) : (
          <Flex component="ul" direction="column" gap="1rem">
            {notes.map(({ code, title, detail }) => {
              const setting = settings[code];
              const link = linksOfWarnings[code];
              return (
                <li key={code}>
                  <strong>{title}</strong>
                  <p className="note">
                    {detail} {link && <Link href={link.href}>{link.label}</Link>}
                  </p>
                  {setting && (
                    <small>
                      To change this, set <code>{setting}</code>
                    </small>
                  )}
                </li>
              );
            })}
          </Flex>
        )}
      </Section>
    </Card>
  );
}

/** The variable with the value that resolves the recommendation. */
const settings: Readonly<Record<string, string>> = {
  LEASES_OFF: 'LEASE_MODE=optional',
  TOKENS_IN_URLS: 'VIEWER_TOKEN_FROM=header',
  RATE_LIMIT_OFF: 'RATE_LIMIT=on',
};
