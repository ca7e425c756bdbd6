import { readFileSync } from 'node:fs';
import type { LatchkeyProcess } from '@latchkey/rig/processes/latchkey-process';
import { viewerToken } from '@latchkey/rig/tokens';
import type { Checks } from '../checks.ts';
import { type Answer, ask, type Question } from '../client/ask.ts';
import { createAudience } from '../client/audience.ts';
import { createManagement } from '../client/management.ts';
import { adminKey, internalSecret, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';

/** Of V8 in each key-derivation replica: its caches get some 12 MiB of it. */
export const replicaHeapMiB = 56;
/** Several times as many as the caches hold then. */
const strangers = 30_000;
const askedAtOnce = 50;
/** One of the audience asks after so many strangers: each of them returns while the caches are filled. */
const strangersBetween = 20;
const contentId = 'bound-film';

/** Fills the caches of one replica beyond their bound while an audience goes on. Returns a table. */
export async function fillCaches(stack: Stack, checks: Checks): Promise<string> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey);
  const replica = stack.servers['key-derivation'][0] as LatchkeyProcess;
  const headers = { 'x-latchkey-secret': internalSecret };
  const audience = await createAudience(management, tokenSecret, contentId, [{ url: replica.url, headers }]);
  const pid = replica.pid();

  const asked = (question: Question) =>
    ask(replica.url, { ...question, headers: { ...question.headers, ...headers } });
  const ofStrangers: Answer[] = [];
  const ofAudience: Answer[] = [];
  let next = 0;
  async function play(): Promise<void> {
    while (next < strangers) {
      const index = next++;
      ofStrangers.push(await asked(questionOf(`stranger-${index}`)));
      if (index % strangersBetween === 0) ofAudience.push(await asked(audience.next()));
    }
  }
  await Promise.all(Array.from({ length: askedAtOnce }, play));

  const what = `with ${strangers.toLocaleString('en')} viewers through caches of 12 MiB`;
  checks.check(`${what}, the replica lives`, replica.pid() === pid && isAlive(pid));
  checks.check(`${what}, every one of them gets its key`, areKeys(ofStrangers), summarize(ofStrangers));
  checks.check(`${what}, the audience gets every key`, areKeys(ofAudience), summarize(ofAudience));
  const revoked = 'stranger-0';
  await management.call('POST', '/keys/leases/revoke', { viewerId: revoked });
  const after = await untilRefused(() => asked(questionOf(revoked)));
  checks.check(
    `${what}, a revocation holds`,
    after.code === 'TOKEN_REVOKED',
    `${after.status} ${after.code}`,
  );
  return [
    '| viewers | keys of theirs | keys of the audience | resident memory of the replica |',
    '|---|---|---|---|',
    `| ${strangers.toLocaleString('en')} | ${summarize(ofStrangers)} | ${summarize(ofAudience)} | ${residentMiB(pid)} MiB |`,
  ].join('\n');
}

function questionOf(viewerId: string): Question {
  const headers = { authorization: `Bearer ${viewerToken(tokenSecret, viewerId)}` };
  return { path: `/keys/${contentId}`, headers };
}

/** `docs/contract.md#revocation`: within 5 s, whatever has failed. */
const revocationLimitMs = 5_000;

async function untilRefused(look: () => Promise<Answer>): Promise<Answer> {
  const limitMs = performance.now() + revocationLimitMs;
  for (;;) {
    const answer = await look();
    if (answer.status !== 200 || performance.now() > limitMs) return answer;
  }
}

function areKeys(answers: readonly Answer[]): boolean {
  return answers.length > 0 && answers.every(({ status }) => status === 200);
}

function summarize(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { status, code } of answers) {
    const name = status === 200 ? '200' : `${status} ${code}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name}: ${count.toLocaleString('en')}`).join(' · ');
}

function isAlive(pid: number): boolean {
  return residentMiB(pid) > 0;
}

/** 0 where there is no such process. */
function residentMiB(pid: number): number {
  try {
    const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib) / 1_024);
  } catch {
    return 0;
  }
}
