import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import { createManagement, demand, type Management } from '../client/management.ts';
import {
  type Credential,
  createRevocationSubject,
  type RevocationKind,
  type RevocationSubject,
  revocationKinds,
} from '../client/revocation-subject.ts';
import { type Answer, ask } from '../client/send-request.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';
import { findWrongRows } from '../stored-rows.ts';

interface Target {
  name: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Every credential is among them, so that every kind of row is. */
const credentialOf: Readonly<Record<RevocationKind, Credential>> = {
  leaseId: 'lease',
  viewerId: 'token',
  contentId: 'session',
  pair: 'session',
  content: 'token',
  'api-key': 'token',
};
/** Four for each target. */
const rounds = 12;
const writersOfAKind = 2;
/** The process is killed at a random moment: after up to this many changes, and then within this time. */
const changesAtMost = 40;
const delayMsAtMost = 30;
/** How long the writers go on while it is gone. */
const goneMs = 300;
const refusalTimeoutMs = 10_000;

/** Kills the lease service, the auth service and Postgres in turn under writers. Returns a table. */
export async function killInTurn(stack: Stack, checks: Checks): Promise<string> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey, stack.playlistUrl);
  await demand(management.registerContent('kill-film'));
  const targets = targetsOf(stack);
  const counts = new Map(targets.map(({ name }) => [name, { rounds: 0, changes: 0, wrong: 0 }]));
  for (let round = 0; round < rounds; round++) {
    const target = targets[round % targets.length] as Target;
    const before = management.acknowledged.length;
    const revoked = await writeUntilKilled(target, management, {
      changes: 1 + randomInt(changesAtMost),
      delayMs: randomInt(delayMsAtMost),
    });
    await target.start();
    await stack.waitReady();
    const wrong = [
      ...(await findWrongRows(stack.databaseUrl, management.acknowledged)),
      ...(await findServed(gateway, revoked)),
    ];
    const changes = management.acknowledged.length - before;
    checks.say(`  ${target.name} killed while ${changes} changes were acknowledged`);
    const count = counts.get(target.name);
    if (count) {
      count.rounds++;
      count.changes += changes;
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

/** Revokes from several writers while the target is killed. Returns the subjects of the acknowledged revocations. */
async function writeUntilKilled(
  target: Target,
  management: Management,
  { changes, delayMs }: { changes: number; delayMs: number },
): Promise<RevocationSubject[]> {
  const revoked: RevocationSubject[] = [];
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
        const options = { management, tokenSecret, contentId: 'kill-film', credential: credentialOf[kind] };
        const subject = await createRevocationSubject(kind, options);
        if ((await subject.revoke()).status === 200) revoked.push(subject);
      } catch {
        // The target is gone, so this subject could not be created. The next one may be.
        await sleep(10);
      }
      if (management.acknowledged.length >= enough) gone ??= end();
    }
  };
  await Promise.all(Array.from({ length: writersOfAKind }, () => revocationKinds.map(write)).flat());
  await gone;
  return revoked;
}

/** Describes each revoked subject that gets a key, or any answer other than its refusal. */
async function findServed(gateway: string, revoked: readonly RevocationSubject[]): Promise<string[]> {
  const answers = await Promise.all(revoked.map((subject) => finalAnswer(gateway, subject)));
  return revoked.flatMap((subject, index) => {
    const { status = 0, code = '' } = answers[index] ?? {};
    return code === subject.refusal
      ? []
      : [`${status} ${code} for the subject of a change of kind ${subject.kind}`];
  });
}

/** Asks again while the answer is 503. */
async function finalAnswer(gateway: string, subject: RevocationSubject): Promise<Answer> {
  const limitMs = performance.now() + refusalTimeoutMs;
  for (;;) {
    const answer = await ask(gateway, subject.question);
    if (answer.status !== 503 || performance.now() > limitMs) return answer;
    await sleep(50);
  }
}
