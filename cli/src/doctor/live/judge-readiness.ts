import type { LiveFinding } from './live-finding.ts';
import { type Members, membersOf } from './members.ts';
import type { LiveAnswer } from './read-json-answer.ts';
import type { RunbookTopic } from './runbooks.ts';

/** Facts of a dependency that are shown as they are. Others are listed in a way of their own. */
const shownFacts = ['kind', 'version', 'writes', 'draining', 'addresses', 'behindMs'];

/** The state of each dependency, as `/ready` shows it. */
export function judgeReadiness(answer: LiveAnswer): LiveFinding[] {
  const said = membersOf(answer.json);
  const status = said.text('status');
  if (status !== 'ready' && status !== 'not_ready') {
    return [
      {
        state: 'wrong',
        about: 'readiness',
        says: `is unknown: /ready answered ${answer.status} in a form that is not Latchkey's`,
        mend: 'look at the proxy in front: it may answer by itself',
        topic: 'readiness',
      },
    ];
  }
  const overall: LiveFinding =
    status === 'ready'
      ? { state: 'ok', about: 'readiness', says: 'is ready: keys can be served' }
      : {
          state: 'wrong',
          about: 'readiness',
          says: 'is not ready: load balancers send it no viewers',
          mend: 'begin with the dependencies that are down below',
          topic: 'readiness',
        };
  return [overall, ...said.members('dependencies').entries().map(judgeDependency)];
}

function judgeDependency([about, facts]: [string, Members]): LiveFinding {
  const status = facts.text('status') ?? 'unknown';
  const inner = facts
    .members('dependencies')
    .entries()
    .map(([name, own]) => ({ name, status: own.text('status') ?? 'unknown' }))
    .filter((own) => own.status !== 'up')
    .map((own) => `its ${own.name} is ${own.status}`);
  const downFor = facts.texts('downFor');
  const pending = facts.texts('pending');
  const says = [
    `is ${status}`,
    ...shownFacts.flatMap((name) => describeFact(facts, name)),
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

const topics: Readonly<Record<string, RunbookTopic>> = { cache: 'cache', bus: 'bus', feed: 'feed' };

function topicOf(dependency: string, status: string): RunbookTopic {
  if (dependency === 'database') return status === 'degraded' ? 'database-writes' : 'database';
  return (Object.hasOwn(topics, dependency) && topics[dependency]) || 'readiness';
}

function describeFact(facts: Members, name: string): string[] {
  const value = facts.text(name) ?? facts.number(name) ?? facts.flag(name);
  return value === null ? [] : [`${name} ${value}`];
}
