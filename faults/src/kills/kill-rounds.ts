import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import { type Answer, ask } from '../client/ask.ts';
import { createManagement, demand, type Management } from '../client/management.ts';
import {
  createRevocationSubject,
  type RevocationSubject,
  revocationKinds,
} from '../client/revocation-subject.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';
import { findWrongRows } from '../stored-rows.ts';

export interface KillOptions {
  rounds: number;
  /** A whole number from 0 up to the given one, without it. */
  random: (below: number) => number;
}

interface Target {
  name: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Two writers of each kind. */
const writersOfAKind = 2;
/** The process is killed after so many changes, and then at some moment within this time. */
const changesAtMost = 40;
const delayMsAtMost = 30;
/** The writers go on for so long while it is gone. */
const goneMs = 300;
const refusalTimeoutMs = 10_000;

/** Kills the lease service, the auth service and Postgres in turn under writers. Returns a table. */
export async function killInTurn(
  stack: Stack,
  checks: Checks,
  { rounds, random }: KillOptions,
): Promise<string> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey);
  await demand(management.registerContent('kill-film'));
  const targets = targetsOf(stack);
  const counts = new Map(targets.map(({ name }) => [name, { rounds: 0, changes: 0, wrong: 0 }]));
  for (let round = 0; round < rounds; round++) {
    const target = targets[round % targets.length] as Target;
    const before = management.acknowledged.length;
    const taken = await writeUntilKilled(target, management, {
      changes: 1 + random(changesAtMost),
      delayMs: random(delayMsAtMost),
    });
    await target.start();
    await stack.waitReady();
    const wrong = [
      ...(await findWrongRows(stack.databaseUrl, management.acknowledged)),
      ...(await findServed(gateway, taken)),
    ];
    const count = counts.get(target.name);
    if (count) {
      count.rounds++;
      count.changes += management.acknowledged.length - before;
      count.wrong += wrong.length;
    }
    if (wrong.length > 0) checks.check(`round ${round + 1}`, false, wrong.slice(0, 5).join('; '));
  }
  const rows = [...counts].map(([name, { rounds: own, changes, wrong }]) => {
    if (own > 0)
      checks.check(
        `kill -9 of ${name}, ${own} times: nothing acknowledged lost, nothing half done`,
        wrong === 0,
      );
    return `| ${[name, own, changes.toLocaleString('en'), wrong === 0 ? 'nothing' : wrong].join(' | ')} |`;
  });
  return [
    '| killed | rounds | acknowledged changes | lost or half done |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function targetsOf({ servers, backings }: Stack): Target[] {
  const service = (name: string, group: Stack['servers']['auth']): Target => ({
    name,
    kill: async () => void (await Promise.all(group.map((server) => server.end('SIGKILL')))),
    start: async () => {
      for (const server of group) server.start();
    },
  });
  return [
    service('the lease service', servers.leases),
    service('the auth service', servers.auth),
    { name: 'Postgres', kill: backings.postgres.kill, start: backings.postgres.start },
  ];
}

/** Takes away from all sides while the target is killed. Returns those from whom it was taken. */
async function writeUntilKilled(
  target: Target,
  management: Management,
  { changes, delayMs }: { changes: number; delayMs: number },
): Promise<RevocationSubject[]> {
  const taken: RevocationSubject[] = [];
  const enough = management.acknowledged.length + changes;
  let gone: Promise<void> | null = null;
  let ended = false;
  const end = async () => {
    await sleep(delayMs);
    await target.kill();
    await sleep(goneMs);
    ended = true;
  };
  const write = async (kind: (typeof revocationKinds)[number]) => {
    while (!ended) {
      try {
        const options = { management, tokenSecret, contentId: 'kill-film', withLease: kind === 'leaseId' };
        const subject = await createRevocationSubject(kind, options);
        if ((await subject.takeAway()).status === 200) taken.push(subject);
      } catch {
        // What could not be prepared because the target is gone; the others go on.
        await sleep(10);
      }
      if (management.acknowledged.length >= enough) gone ??= end();
    }
  };
  await Promise.all(Array.from({ length: writersOfAKind }, () => revocationKinds.map(write)).flat());
  await gone;
  return taken;
}

/** Whoever still gets a key that was taken away, or another answer than the refusal, in words. */
async function findServed(gateway: string, taken: readonly RevocationSubject[]): Promise<string[]> {
  const answers = await Promise.all(taken.map((subject) => finalAnswer(gateway, subject)));
  return taken.flatMap((subject, index) => {
    const { status = 0, code = '' } = answers[index] ?? {};
    return code === subject.refusal
      ? []
      : [`${status} ${code} for the subject of a change of kind ${subject.kind}`];
  });
}

/** Asks again while it is 503. */
async function finalAnswer(gateway: string, subject: RevocationSubject): Promise<Answer> {
  const limitMs = performance.now() + refusalTimeoutMs;
  for (;;) {
    const answer = await ask(gateway, subject.question);
    if (answer.status !== 503 || performance.now() > limitMs) return answer;
    await sleep(50);
  }
}
