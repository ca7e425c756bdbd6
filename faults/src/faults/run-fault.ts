import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../client/ask.ts';
import { type Audience, warm } from '../client/audience.ts';
import { type Load, startLoad } from '../client/load.ts';
import { createManagement, type Management } from '../client/management.ts';
import {
  createRevocationSubject,
  type RevocationSubject,
  revocationKinds,
} from '../client/revocation-subject.ts';
import type { Replica } from '../revocation/follow-revocation.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';
import { findWrongRows } from '../stored-rows.ts';
import type { Fault } from './fault.ts';
import { type RevocationObserver, startRevocationObserver } from './revocation-observer.ts';

/** What was seen of one fault. */
export interface FaultReport {
  fault: Fault;
  /** Key requests of viewers whom nobody took anything from. */
  keys: Answer[];
  /** Leases made, and leases, contents and API keys taken away, while it was broken. */
  changes: Answer[];
  latestKeyMs: number;
  /** What is wrong afterwards, in words. */
  wrong: string[];
  /** From the beginning of the mending to the last request that failed; null where that took too long. */
  normalAfterMs: number | null;
}

export interface Scene {
  stack: Stack;
  audience: Audience;
  replicas: readonly Replica[];
}

const keysPerSecond = 150;
const changeEveryMs = 250;
/** So long without a failure is normal again. */
const quietMs = 1_500;
const normalTimeoutMs = 30_000;

/** Breaks it under load, changes things meanwhile, mends it, and looks at what is left. */
export async function runFault(fault: Fault, { stack, audience, replicas }: Scene): Promise<FaultReport> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey);
  const early = await createSubjects(revocationKinds.length, management, audience.contentId, replicas);
  const changing = await createSubjects(
    Math.ceil((fault.seconds * 1_000) / changeEveryMs),
    management,
    audience.contentId,
    replicas,
  );
  await audience.becomeKnown();
  const load = startLoad(keysPerSecond, () => ({ origin: gateway, question: audience.next() }));
  const observer = startRevocationObserver(replicas);
  try {
    // The last of these are acknowledged when their announcement may not have arrived yet.
    for (const answer of await Promise.all(early.map((subject) => takeAway(subject, observer))))
      if (answer.status !== 200) throw new Error(`before the fault a change was answered ${answer.status}`);
    await fault.begin(stack);
    const changes = await changeWhileBroken(
      fault.seconds,
      changing,
      management,
      observer,
      audience.contentId,
    );
    const mendedAtMs = performance.now();
    await fault.end(stack);
    const normalAfterMs = await untilNormal(stack, load, mendedAtMs);
    const answered = await Promise.all(changes);
    await observer.stop();
    const wrong = [
      ...(await observer.verify()),
      ...(await findWrongRows(stack.databaseUrl, management.acknowledged)),
    ];
    const keys = await load.stop();
    return { fault, keys, changes: answered, latestKeyMs: observer.latestKeyMs(), wrong, normalAfterMs };
  } finally {
    await load.stop();
    await observer.stop();
  }
}

async function createSubjects(
  count: number,
  management: Management,
  contentId: string,
  replicas: readonly Replica[],
): Promise<RevocationSubject[]> {
  const subjects: RevocationSubject[] = [];
  for (let index = 0; index < count; index++) {
    const kind = revocationKinds[index % revocationKinds.length] ?? 'leaseId';
    const withLease = Math.floor(index / revocationKinds.length) % 2 === 0;
    subjects.push(await createRevocationSubject(kind, { management, tokenSecret, contentId, withLease }));
  }
  for (const { url, headers } of replicas) {
    const questions = subjects.map(({ question }) => ({
      ...question,
      headers: { ...question.headers, ...headers },
    }));
    await Promise.all(questions.map((question) => warm(url, question)));
  }
  return subjects;
}

async function takeAway(subject: RevocationSubject, observer: RevocationObserver): Promise<Answer> {
  const answer = await subject.takeAway();
  if (answer.status === 200) observer.watch(subject, answer.doneAtMs);
  return answer;
}

/** At a steady pace, one after the other has been sent. The answers may come later. */
async function changeWhileBroken(
  seconds: number,
  subjects: readonly RevocationSubject[],
  management: Management,
  observer: RevocationObserver,
  contentId: string,
): Promise<Promise<Answer>[]> {
  const changes: Promise<Answer>[] = [];
  const endMs = performance.now() + seconds * 1_000;
  for (const [index, subject] of subjects.entries()) {
    changes.push(takeAway(subject, observer));
    changes.push(management.createLease(`late-${index}-${performance.now()}`, contentId));
    await sleep(changeEveryMs);
  }
  await sleep(Math.max(0, endMs - performance.now()));
  return changes;
}

/** Milliseconds from the mending to the last key request that failed or the first time that nothing was missing. */
async function untilNormal(stack: Stack, load: Load, mendedAtMs: number): Promise<number | null> {
  let wholeAtMs: number | null = null;
  while (performance.now() - mendedAtMs < normalTimeoutMs) {
    // Gateways are ready without most services, as keys go on without them. Here the service's return counts.
    const whole = (await Promise.all(stack.gateways.map((gateway) => gateway.isWhole()))).every(Boolean);
    const nowMs = performance.now();
    if (!whole) wholeAtMs = null;
    else wholeAtMs ??= nowMs;
    const failed = load.answers.filter(({ sentAtMs, status }) => sentAtMs >= mendedAtMs && status !== 200);
    const lastFailedMs = Math.max(mendedAtMs, ...failed.map(({ sentAtMs }) => sentAtMs));
    if (wholeAtMs !== null && nowMs - Math.max(wholeAtMs, lastFailedMs) >= quietMs)
      return Math.max(wholeAtMs, lastFailedMs) - mendedAtMs;
    await sleep(50);
  }
  return null;
}
