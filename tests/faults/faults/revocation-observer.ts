import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationSubject } from '../client/revocation-subject.ts';
import { type Answer, ask, type Question } from '../client/send-request.ts';
import type { Replica } from '../stack/stack.ts';

/**
 * Asks every replica with the credentials of revoked subjects while something is broken, and records each key that came. Of those with
 * a session it also asks for the playlist.
 */
export interface RevocationObserver {
  /** The revocation was acknowledged at this instant (`performance.now()`). */
  watch(subject: RevocationSubject, acknowledgedAtMs: number): void;
  /** Milliseconds from an acknowledgement to the latest key or playlist after it; 0 if none came. */
  latestKeyMs(): number;
  /** Asks every replica for every subject until it refuses. Describes each wrong answer. */
  verify(): Promise<string[]>;
  stop(): Promise<void>;
}

interface Watched {
  subject: RevocationSubject;
  acknowledgedAtMs: number;
}

interface Asked {
  replica: Replica;
  question: Question;
}

const askEveryMs = 500;
/** After this long, requests for a subject pause until `verify`. */
const watchedMs = 12_000;
/** For a server that is ready again to read its states. */
const verifyTimeoutMs = 10_000;

export function startRevocationObserver(
  replicas: readonly Replica[],
  playbacks: readonly Replica[],
): RevocationObserver {
  const watched: Watched[] = [];
  const open = new Set<Promise<unknown>>();
  let latestMs = 0;

  const askedFor = ({ subject }: Watched) => [
    ...replicas.map((replica) => ({ replica, question: subject.question })),
    ...playbacks.flatMap((replica) => (subject.playlist ? [{ replica, question: subject.playlist }] : [])),
  ];

  async function look({ replica, question }: Asked, { acknowledgedAtMs }: Watched): Promise<Answer> {
    const { path, headers } = question;
    const answer = await ask(replica.url, { path, headers: { ...headers, ...replica.headers } });
    if (answer.status === 200) latestMs = Math.max(latestMs, answer.doneAtMs - acknowledgedAtMs);
    return answer;
  }

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const one of watched) {
      if (nowMs - one.acknowledgedAtMs > watchedMs) continue;
      for (const asked of askedFor(one)) {
        const done = look(asked, one).finally(() => open.delete(done));
        open.add(done);
      }
    }
  }, askEveryMs);

  async function settle(asked: Asked, one: Watched): Promise<string | null> {
    const limitMs = performance.now() + verifyTimeoutMs;
    for (;;) {
      const { status, code } = await look(asked, one);
      if (code === one.subject.refusal) return null;
      const isUnknown = status === 503 || status === 0;
      if (!isUnknown || performance.now() > limitMs)
        return `${asked.replica.name} answers ${status} ${code} to the subject of a revocation by ${one.subject.kind}`;
      await sleep(100);
    }
  }

  return {
    watch: (subject, acknowledgedAtMs) => void watched.push({ subject, acknowledgedAtMs }),
    latestKeyMs: () => latestMs,
    async verify() {
      const results = await Promise.all(
        watched.flatMap((one) => askedFor(one).map((asked) => settle(asked, one))),
      );
      return results.filter((wrong) => wrong !== null);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
