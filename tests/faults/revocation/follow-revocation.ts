import { setTimeout as sleep } from 'node:timers/promises';
import { warm } from '../client/audience.ts';
import type { RevocationSubject } from '../client/revocation-subject.ts';
import { ask } from '../client/send-request.ts';
import type { Replica } from '../stack/stack.ts';

/** How one replica answered after a revocation. Times are milliseconds after the answer of the revocation. */
export interface Effect {
  replica: string;
  /** When the first refusal came. */
  refusedAfterMs: number;
  /** When the last key came; null if no key came. */
  lastKeyAfterMs: number | null;
  /** Whether a key came after a refusal. */
  keyAfterRefusal: boolean;
}

/** Longer than the promised 5 s, to see how late a late refusal comes. */
const watchedMs = 10_000;
/** For this long the replicas are asked without a pause: a refusal is expected within milliseconds. */
const closelyMs = 100;
const pauseMs = 20;
/** Requests after the first refusal. */
const askedAgain = 3;

/** Revokes a subject that every replica knows, and asks each replica until it refuses. */
export async function followRevocation(
  subject: RevocationSubject,
  replicas: readonly Replica[],
): Promise<Effect[]> {
  const questions = replicas.map(({ headers }) => ({
    ...subject.question,
    headers: { ...subject.question.headers, ...headers },
  }));
  await Promise.all(replicas.map(({ url }, index) => warm(url, questions[index] ?? subject.question)));
  const answer = await subject.revoke();
  if (answer.status !== 200) throw new Error(`a revocation was answered ${answer.status} ${answer.code}`);

  return Promise.all(
    replicas.map(async ({ name, url }, index): Promise<Effect> => {
      const question = questions[index] ?? subject.question;
      let lastKeyAfterMs: number | null = null;
      let refusedAfterMs = Number.POSITIVE_INFINITY;
      for (let sinceMs = 0; sinceMs < watchedMs; ) {
        const { status, code, doneAtMs } = await ask(url, question);
        sinceMs = doneAtMs - answer.doneAtMs;
        if (status === 200) lastKeyAfterMs = sinceMs;
        if (code === subject.refusal) {
          refusedAfterMs = sinceMs;
          break;
        }
        if (sinceMs > closelyMs) await sleep(pauseMs);
      }
      let keyAfterRefusal = false;
      for (let again = 0; again < askedAgain; again++)
        keyAfterRefusal ||= (await ask(url, question)).status === 200;
      return { replica: name, refusedAfterMs, lastKeyAfterMs, keyAfterRefusal };
    }),
  );
}
