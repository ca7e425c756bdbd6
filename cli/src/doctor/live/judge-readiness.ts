import type { z } from 'zod';
import type { Finding } from '../finding.ts';
import type { Dependency, readinessForm } from './answer-forms.ts';
import type { LiveAnswer } from './read-json-answer.ts';

/** Facts of a dependency that are shown as they are. Others are listed in a way of their own. */
const shownFacts = ['kind', 'version', 'writes', 'draining', 'addresses', 'behindMs'] as const;

/** The state of each dependency, as `/ready` shows it. */
export function judgeReadiness({
  said,
  status: answered,
}: LiveAnswer<z.output<typeof readinessForm>>): Finding[] {
  const { status } = said;
  if (status !== 'ready' && status !== 'not_ready') {
    return [
      {
        state: 'wrong',
        about: 'readiness',
        says: `is unknown: /ready answered ${answered} in a form that is not Latchkey's`,
        mend: 'look at the proxy in front: it may answer by itself',
        topic: 'readiness',
      },
    ];
  }
  const overall: Finding =
    status === 'ready'
      ? { state: 'ok', about: 'readiness', says: 'is ready: keys can be served' }
      : {
          state: 'wrong',
          about: 'readiness',
          says: 'is not ready: load balancers send it no viewers',
          mend: 'begin with the dependencies that are down below',
          topic: 'readiness',
        };
  return [overall, ...Object.entries(said.dependencies).map(judgeDependency)];
}

function judgeDependency([about, facts]: [string, Dependency]): Finding {
  const { status, downFor, pending, dependencies } = facts;
  const inner = Object.entries(dependencies)
    .filter(([, own]) => own.status !== 'up')
    .map(([name, own]) => `its ${name} is ${own.status}`);
  const says = [
    `is ${status}`,
    ...shownFacts.flatMap((name) => (facts[name] === null ? [] : [`${name} ${facts[name]}`])),
    ...(downFor.length > 0 ? [`down for ${downFor.join(', ')}`] : []),
    ...(pending.length > 0 ? [`pending: ${pending.join(', ')}`] : []),
    ...inner,
  ].join(', ');
  if (status === 'up') {
    return inner.length > 0
      ? { state: 'warning', about, says, topic: 'readiness' }
      : { state: 'ok', about, says };
  }
  // No process reports it.
  if (status === 'unknown') return { state: 'warning', about, says, topic: topicOf(about, status) };
  return {
    state: 'wrong',
    about,
    says,
    mend: 'the standard error of the processes that need it has the cause',
    topic: topicOf(about, status),
  };
}

const topics: Readonly<Record<string, Finding['topic']>> = { cache: 'cache', bus: 'bus', feed: 'feed' };

function topicOf(dependency: string, status: string): NonNullable<Finding['topic']> {
  if (dependency === 'database') return status === 'degraded' ? 'database-writes' : 'database';
  return (Object.hasOwn(topics, dependency) && topics[dependency]) || 'readiness';
}
