import { setTimeout as sleep } from 'node:timers/promises';
import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import type { SettingsOf } from '@latchkey/support/stack/distributed-profile';
import { nowSeconds, viewerToken } from '@latchkey/support/tokens';
import type { Checks } from '../checks.ts';
import { type Answer, ask, type Question } from '../client/ask.ts';
import { createManagement, demand } from '../client/management.ts';
import { adminKey, internalSecret, tokenSecret } from '../stack/secrets.ts';
import { directReplicas, type Stack } from '../stack/stack.ts';

/** Three times what `AUTH_JWT_CLOCK_TOLERANCE_SECONDS` allows by default. */
const apartSeconds = 30;
const toleranceSeconds = 10;
/** `docs/contract.md#revocation`: 5 s at the latest. */
const holdsWithinMs = 5_000;
/** Longer than the 5 s for which a state counts, so that each replica has to confirm its states again. */
const watchedMs = 7_000;

/** How many seconds the wall clock of each process is ahead. The clocks of two replicas are a minute apart. */
const shifts: Readonly<Record<string, number>> = {
  'leases-1': -apartSeconds,
  'auth-1': apartSeconds,
  'content-1': apartSeconds,
  'key-derivation-1': apartSeconds,
  'key-derivation-2': -apartSeconds,
};

/** Variables for the processes of a stack that set their clocks apart. */
export function clocksApart(): SettingsOf {
  const preload = import.meta.resolve('@latchkey/support/shift-clock');
  const optionsOf = (shift: number) => ({ NODE_OPTIONS: `--import ${preload}?by=${shift * 1_000}` });
  return Object.fromEntries(Object.entries(shifts).map(([name, shift]) => [name, optionsOf(shift)]));
}

/** Requests keys and revokes on a stack whose clocks are apart. Returns a table. */
export async function setClocksApart(stack: Stack, checks: Checks): Promise<string> {
  const scene = await openScene(stack);
  await checkPlaying(scene, checks);
  const latestMs = await checkRevocations(scene, checks);
  await checkTokens(scene, checks);
  return [
    '| clocks | keys while nothing is revoked | latest refusal after a revocation, of three replicas |',
    '|---|---|---|',
    `| lease service ${-apartSeconds} s, auth and content +${apartSeconds} s, replicas +${apartSeconds}, ${-apartSeconds} and 0 s | all served | ${Math.round(latestMs)} ms |`,
  ].join('\n');
}

async function openScene(stack: Stack) {
  const management = createManagement(() => (stack.gateways[0] as LatchkeyProcess).url, adminKey);
  const contentId = 'clock-film';
  await demand(management.registerContent(contentId));
  const questionOf = (viewerId: string, claims = {}, leaseId?: string): Question => ({
    path: `/keys/${contentId}`,
    headers: {
      'x-latchkey-secret': internalSecret,
      authorization: `Bearer ${viewerToken(tokenSecret, viewerId, claims)}`,
      ...(leaseId === undefined ? {} : { 'x-lease-id': leaseId }),
    },
  });
  const replicas = directReplicas(stack);
  const everywhere = (question: Question) => Promise.all(replicas.map(({ url }) => ask(url, question)));
  return { management, contentId, questionOf, everywhere };
}

type Scene = Awaited<ReturnType<typeof openScene>>;
const said = (answers: readonly Answer[]) => answers.map(({ status, code }) => code || status).join(', ');

async function checkPlaying({ management, contentId, questionOf, everywhere }: Scene, checks: Checks) {
  const { lease } = await demand(management.createLease('clock-player', contentId));
  const questions = [questionOf('clock-viewer'), questionOf('clock-player', {}, lease.id)];
  const wrong: string[] = [];
  const untilMs = performance.now() + watchedMs;
  while (performance.now() < untilMs) {
    for (const question of questions) {
      const answers = await everywhere(question);
      if (answers.some(({ status }) => status !== 200)) wrong.push(said(answers));
    }
    await sleep(100);
  }
  const sentence = `with clocks ${apartSeconds} s apart every replica serves keys, by token and by lease`;
  checks.check(sentence, wrong.length === 0, wrong.slice(0, 3).join(' | '));
}

/** @returns the longest time that a replica took to refuse */
async function checkRevocations(scene: Scene, checks: Checks): Promise<number> {
  const { management, contentId, questionOf, everywhere } = scene;
  let latestMs = 0;
  for (const [what, byLease] of [
    ['a token that was issued a minute ago', false],
    ['a lease', true],
  ] as const) {
    const viewerId = `clock-subject-${byLease}`;
    const lease = byLease ? (await demand(management.createLease(viewerId, contentId))).lease : undefined;
    const question = questionOf(viewerId, {}, lease?.id);
    const before = await everywhere(question);
    await demand(management.call('POST', '/keys/leases/revoke', { viewerId }));
    const startMs = performance.now();
    const expected = byLease ? 'LEASE_REVOKED' : 'TOKEN_REVOKED';
    let answers = await everywhere(question);
    while (answers.some(({ code }) => code !== expected) && performance.now() - startMs < holdsWithinMs) {
      await sleep(5);
      answers = await everywhere(question);
    }
    latestMs = Math.max(latestMs, performance.now() - startMs);
    const holds = answers.every(({ code }) => code === expected);
    checks.check(
      `every replica serves a key for ${what} before its revocation`,
      said(before) === '200, 200, 200',
      said(before),
    );
    checks.check(`the revocation of ${what} holds on every replica`, holds, said(answers));
  }
  return latestMs;
}

/** Checks what `docs/operations.md#clocks` says about clocks that differ. */
async function checkTokens({ management, questionOf, everywhere }: Scene, checks: Checks): Promise<void> {
  const fresh = await everywhere(questionOf('clock-fresh', { iat: nowSeconds() }));
  checks.check(
    `only the replica that is ${apartSeconds} s behind refuses a token that was issued just now`,
    said(fresh) === '200, INVALID_TOKEN, 200',
    said(fresh),
  );
  // The lease service is behind, so its marks are older than tokens that are younger than the difference.
  const age = apartSeconds - toleranceSeconds + 5;
  const question = questionOf('clock-young', { iat: nowSeconds() - age });
  await demand(management.call('POST', '/keys/leases/revoke', { viewerId: 'clock-young' }));
  await sleep(1_000);
  const answers = await everywhere(question);
  const [ahead, , right] = answers;
  const holds = [ahead, right].every((answer) => answer?.code === 'TOKEN_REVOKED');
  const sentence = `a revocation by a lease service that is ${apartSeconds} s behind holds for tokens older than ${age - 5} s`;
  checks.check(sentence, holds, said(answers));
}
