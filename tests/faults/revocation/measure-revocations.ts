import type { Checks } from '../checks.ts';
import { createAudience } from '../client/audience.ts';
import { countByStatus } from '../client/count-answers.ts';
import { startLoad } from '../client/load.ts';
import { createManagement, type Management } from '../client/management.ts';
import { createRevocationSubject, credentials, type RevocationKind } from '../client/revocation-subject.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import { directReplicas, type Replica, type Stack } from '../stack/stack.ts';
import { type Condition, conditions } from './conditions.ts';
import { quantile, spread } from './distribution.ts';
import { type Effect, followRevocation } from './follow-revocation.ts';

interface Measured extends Effect {
  condition: string;
  kind: RevocationKind;
}

/** Revocations of each kind while nothing is broken: enough for a p99. */
const countWhole = 150;
/** Revocations of each kind under each other condition, all at once. */
const countBroken = 20;
const kinds = ['leaseId', 'viewerId', 'contentId', 'pair'] as const;
/** Key requests per second during the revocations. */
const loadPerSecond = 200;
/** Revocations at a time. With more, this client would be the slowest part. */
const parallel = 4;
/** `docs/reference/contract.md#revocation`: the latest key while NATS and Redis are lost, and the p99 while nothing is. */
const latestKeyMs = 5_000;
const p99Ms = 1_000;

/** Measures how soon each of three replicas under load refuses after a revocation, under each condition. Returns a table. */
export async function measureRevocations(stack: Stack, checks: Checks): Promise<string> {
  const management = createManagement(() => stack.gateways[0]?.url ?? '', adminKey, stack.playlistUrl);
  const replicas = directReplicas(stack);
  const audience = await createAudience(management, tokenSecret, 'revocation-film', replicas);
  const load = startLoad(loadPerSecond, () => ({
    origin: stack.gateways[0]?.url ?? '',
    question: audience.next(),
  }));
  const measured: Measured[] = [];
  for (const condition of conditions) {
    const isWhole = condition === conditions[0];
    await condition.begin(stack);
    for (const kind of kinds) {
      const scene = { management, replicas, contentId: audience.contentId, kind };
      const count = isWhole ? countWhole : countBroken;
      const effects = await revokeMany(scene, count, isWhole ? parallel : count);
      measured.push(...effects.map((effect) => ({ ...effect, condition: condition.name, kind })));
    }
    judge(condition, measured, checks);
    await condition.end(stack);
    await stack.waitWhole();
  }
  const answers = await load.stop();
  checks.say(`load at the same time: ${countByStatus(answers)}`);
  checks.check(
    'viewers whose lease nobody revoked got every key meanwhile',
    answers.every(({ status }) => status === 200),
    countByStatus(answers),
  );
  return tabulate(measured);
}

async function revokeMany(
  scene: { management: Management; replicas: readonly Replica[]; contentId: string; kind: RevocationKind },
  count: number,
  atATime: number,
): Promise<Effect[]> {
  const { management, replicas, contentId, kind } = scene;
  const effects: Effect[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      // In turn with a lease, and with a token alone, which only a mark can refuse.
      const credential = credentials[next++ % credentials.length] ?? 'lease';
      const subject = await createRevocationSubject(kind, { management, tokenSecret, contentId, credential });
      effects.push(...(await followRevocation(subject, replicas)));
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return effects;
}

function judge(condition: Condition, measured: readonly Measured[], checks: Checks): void {
  const own = measured.filter(({ condition: name }) => name === condition.name);
  const latest = Math.max(...own.map(({ lastKeyAfterMs }) => lastKeyAfterMs ?? 0));
  checks.check(
    `${condition.name}: no key later than ${latestKeyMs} ms after a revocation`,
    latest <= latestKeyMs && own.every(({ refusedAfterMs }) => Number.isFinite(refusedAfterMs)),
    `the latest came after ${latest.toFixed(0)} ms`,
  );
  checks.check(
    `${condition.name}: no key after the first refusal`,
    own.every(({ keyAfterRefusal }) => !keyAfterRefusal),
  );
  if (condition !== conditions[0]) return;
  const p99 = quantile(
    own.map(({ refusedAfterMs }) => refusedAfterMs),
    0.99,
  );
  checks.check(`${condition.name}: refused within ${p99Ms} ms at p99`, p99 <= p99Ms, `${p99.toFixed(1)} ms`);
}

function tabulate(measured: readonly Measured[]): string {
  const rows: string[] = [];
  const add = (condition: string, what: string, own: readonly Measured[]) => {
    if (own.length === 0) return;
    const refused = spread(own.map(({ refusedAfterMs }) => refusedAfterMs));
    const latest = Math.max(...own.map(({ lastKeyAfterMs }) => lastKeyAfterMs ?? 0));
    rows.push(
      `| ${[condition, what, own.length, ...refused, latest === 0 ? 'none' : latest.toFixed(1)].join(' | ')} |`,
    );
  };
  const [well, ...broken] = conditions.map(({ name }) => name);
  const own = measured.filter(({ condition }) => condition === well);
  for (const kind of kinds)
    add(
      well ?? '',
      `by ${kind}`,
      own.filter((effect) => effect.kind === kind),
    );
  for (const replica of new Set(own.map((effect) => effect.replica)))
    add(
      well ?? '',
      `replica ${replica}`,
      own.filter((effect) => effect.replica === replica),
    );
  for (const name of broken)
    add(
      name,
      'all kinds',
      measured.filter(({ condition }) => condition === name),
    );
  return [
    '| condition | revocations | measured | p50, ms | p99, ms | max, ms | latest key, ms |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
