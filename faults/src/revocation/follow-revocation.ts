import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../client/ask.ts';
import { warm } from '../client/audience.ts';
import type { RevocationSubject } from '../client/revocation-subject.ts';

/** A key-derivation replica that is asked directly. */
export interface Replica {
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** What one replica did after the answer to a revocation had come. Times are milliseconds after that. */
export interface Effect {
  replica: string;
  /** When the first refusal came. */
  refusedAfterMs: number;
  /** When the last key came; null where none did. */
  lastKeyAfterMs: number | null;
  /** Whether a key came after a refusal. */
  keyAfterRefusal: boolean;
}

/** The promise is 5 s; who is not refused by then is watched a while longer, to see how late it gets. */
const watchedMs = 10_000;
/** At first the replicas are asked without a pause; later the question is seconds. */
const closelyMs = 100;
const pauseMs = 20;
/** Requests after the first refusal. */
const askedAgain = 3;

/** Takes away what the subject has, and asks every replica, each of which knew the subject, until it refuses. */
export async function followRevocation(
  subject: RevocationSubject,
  replicas: readonly Replica[],
): Promise<Effect[]> {
  const questions = replicas.map(({ headers }) => ({
    ...subject.question,
    headers: { ...subject.question.headers, ...headers },
  }));
  await Promise.all(replicas.map(({ url }, index) => warm(url, questions[index] ?? subject.question)));
  const answer = await subject.takeAway();
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
