import { setTimeout as sleep } from 'node:timers/promises';
import { type Audience, warm } from '../client/audience.ts';
import { type Load, startLoad } from '../client/load.ts';
import { createManagement, type Management } from '../client/management.ts';
import {
  createRevocationSubject,
  credentials,
  type RevocationSubject,
  revocationKinds,
} from '../client/revocation-subject.ts';
import type { Answer } from '../client/send-request.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import type { Replica, Stack } from '../stack/stack.ts';
import { findWrongRows } from '../stored-rows.ts';
import type { Fault } from './fault.ts';
import { type RevocationObserver, startRevocationObserver } from './revocation-observer.ts';

/** The answers that clients received during one fault. */
export interface FaultReport {
  fault: Fault;
  /** Key requests of viewers who keep their rights. */
  keys: Answer[];
  /** Playlist requests of viewers with a session. */
  playlists: Answer[];
  /** Changes while it was broken: leases created, and leases, contents and API keys revoked. */
  changes: Answer[];
  /** The latest key or playlist after its revocation. */
  latestKeyMs: number;
  /** Describes each thing that is wrong afterwards. */
  wrong: string[];
  /** From the start of the repair to the last request that failed; null if that took too long. */
  normalAfterMs: number | null;
}

export interface Scene {
  stack: Stack;
  audience: Audience;
  replicas: readonly Replica[];
  playbacks: readonly Replica[];
}

const keysPerSecond = 150;
const playlistsPerSecond = 50;
const changeEveryMs = 250;
/** All is normal again after this long without a failure. */
const quietMs = 1_500;
const normalTimeoutMs = 30_000;

/** Breaks one part under load, makes changes meanwhile, repairs it, and checks what is left. */
export async function runFault(
  fault: Fault,
  { stack, audience, replicas, playbacks }: Scene,
): Promise<FaultReport> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey, stack.playlistUrl);
  const early = await createSubjects(revocationKinds.length, management, audience.contentId, replicas);
  const changing = await createSubjects(
    Math.ceil((fault.seconds * 1_000) / changeEveryMs),
    management,
    audience.contentId,
    replicas,
  );
  await audience.becomeKnown();
  const load = startLoad(keysPerSecond, () => ({ origin: gateway, question: audience.next() }));
  const playlistLoad = startLoad(playlistsPerSecond, () => ({
    origin: gateway,
    question: audience.nextPlaylist(),
  }));
  const observer = startRevocationObserver(replicas, playbacks);
  try {
    // The fault begins right after these, so replicas may not have received the last of them.
    for (const answer of await Promise.all(early.map((subject) => revoke(subject, observer))))
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
    const normalAfterMs = await untilNormal(stack, [load, playlistLoad], mendedAtMs);
    const answered = await Promise.all(changes);
    await observer.stop();
    const wrong = [
      ...(await observer.verify()),
      ...(await findWrongRows(stack.databaseUrl, management.acknowledged)),
    ];
    const keys = await load.stop();
    const playlists = await playlistLoad.stop();
    const latestKeyMs = observer.latestKeyMs();
    return { fault, keys, playlists, changes: answered, latestKeyMs, wrong, normalAfterMs };
  } finally {
    await load.stop();
    await playlistLoad.stop();
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
    const credential =
      credentials[Math.floor(index / revocationKinds.length) % credentials.length] ?? 'lease';
    subjects.push(await createRevocationSubject(kind, { management, tokenSecret, contentId, credential }));
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

async function revoke(subject: RevocationSubject, observer: RevocationObserver): Promise<Answer> {
  const answer = await subject.revoke();
  if (answer.status === 200) observer.watch(subject, answer.doneAtMs);
  return answer;
}

/** Sends changes at a steady pace. Their answers may come later. */
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
    changes.push(revoke(subject, observer));
    changes.push(management.createLease(`late-${index}-${performance.now()}`, contentId));
    await sleep(changeEveryMs);
  }
  await sleep(Math.max(0, endMs - performance.now()));
  return changes;
}

/** Milliseconds from the repair until all dependencies are back and no request for a key or a playlist fails any more. */
async function untilNormal(stack: Stack, loads: readonly Load[], mendedAtMs: number): Promise<number | null> {
  let wholeAtMs: number | null = null;
  while (performance.now() - mendedAtMs < normalTimeoutMs) {
    // A gateway is ready without most services, because keys are served without them. Here the return of all counts.
    const whole = (await Promise.all(stack.gateways.map((gateway) => gateway.isWhole()))).every(Boolean);
    const nowMs = performance.now();
    if (!whole) wholeAtMs = null;
    else wholeAtMs ??= nowMs;
    const failed = loads
      .flatMap(({ answers }) => answers)
      .filter(({ sentAtMs, status }) => sentAtMs >= mendedAtMs && status !== 200);
    const lastFailedMs = Math.max(mendedAtMs, ...failed.map(({ sentAtMs }) => sentAtMs));
    if (wholeAtMs !== null && nowMs - Math.max(wholeAtMs, lastFailedMs) >= quietMs)
      return Math.max(wholeAtMs, lastFailedMs) - mendedAtMs;
    await sleep(50);
  }
  return null;
}
