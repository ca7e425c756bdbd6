import type { z } from 'zod';
import { type Finding, ok, warning, wrong } from '../finding.ts';
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
  const about = 'readiness';
  if (status !== 'ready' && status !== 'not_ready') {
    const says = `is unknown: /ready answered ${answered} in a form that is not Latchkey's`;
    const mend = 'look at the proxy in front: it may answer by itself';
    return [wrong(about, says, { mend, topic: 'readiness' })];
  }
  const overall =
    status === 'ready'
      ? ok(about, 'is ready: keys can be served')
      : wrong(about, 'is not ready: load balancers send it no viewers', {
          mend: 'begin with the dependencies that are down below',
          topic: 'readiness',
        });
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
  if (status === 'up')
    return inner.length > 0 ? warning(about, says, { topic: 'readiness' }) : ok(about, says);
  const topic = topicOf(about, status);
  // No process reports it.
  if (status === 'unknown') return warning(about, says, { topic });
  return wrong(about, says, {
    mend: 'the standard error of the processes that need it has the cause',
    topic,
  });
}

function topicOf(dependency: string, status: string) {
  if (dependency === 'database') return status === 'degraded' ? 'database-writes' : 'database';
  return dependency === 'cache' || dependency === 'bus' || dependency === 'feed' ? dependency : 'readiness';
}
