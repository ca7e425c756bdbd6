import { viewerToken } from '@latchkey/support/tokens';
import type { Checks } from '../checks.ts';
import { type Answer, ask, type Question } from '../client/ask.ts';
import { createAudience } from '../client/audience.ts';
import { countNames } from '../client/count-answers.ts';
import { createManagement } from '../client/management.ts';
import { residentMiB } from '../stack/resident-memory.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import { directReplicas, type Replica, type Stack } from '../stack/stack.ts';

/** The V8 heap of each key-derivation replica. Its caches get some 12 MiB of it. */
export const replicaHeapMiB = 56;
/** Several times as many as these caches hold. */
const strangers = 30_000;
const requestsAtOnce = 50;
/** One viewer of the audience asks after this many strangers, so all of them return while the caches are filled. */
const strangersBetween = 20;
const contentId = 'bound-film';

/** Fills the caches of one replica beyond their bound while an audience goes on watching. Returns a table. */
export async function fillCaches(stack: Stack, checks: Checks): Promise<string> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey, stack.playlistUrl);
  const replica = directReplicas(stack)[0] as Replica;
  const { headers, server } = replica;
  const audience = await createAudience(management, tokenSecret, contentId, [replica]);
  const pid = server.pid();

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
  await Promise.all(Array.from({ length: requestsAtOnce }, play));

  const what = `with ${strangers.toLocaleString('en')} viewers through caches of 12 MiB`;
  checks.check(`${what}, the replica lives`, server.pid() === pid && residentMiB(pid) > 0);
  checks.check(`${what}, each of them gets its key`, areKeys(ofStrangers), summarize(ofStrangers));
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

/** `docs/contract.md#revocation`: a revocation holds within 5 s, even if NATS and Redis fail. */
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
  return countNames(answers.map(({ status, code }) => (status === 200 ? '200' : `${status} ${code}`)));
}
