import { markKey } from '@latchkey/shared/authority';
import { authorityLimitMs } from '@latchkey/shared/events';
import {
  actCount,
  type Committed,
  items,
  markOf,
  SimulatedOwner,
  SimulatedReplica,
} from '@latchkey/shared/testing/simulated-replicas';
import type { KeyRequest } from '../key-request.ts';
import { judgeEpoch, keyPeriodsOf } from './simulated-schedules.fixture.ts';

export type Random = (below: number) => number;

/** Around the limit of five seconds, the beginnings of epochs, and the minute in which a key comes back. */
const jumpsMs = [1, 1, 10, 1_000, 2_500, 4_999, 5_000, 5_001, 9_999, 10_000, 60_000];
/** How far the wall clocks of the replicas are ahead. They step within these, backwards too. */
const clockErrorsMs = [0, 0, 1, -1, -30_000, 30_000];
/** The contents among the items. The acts that change them have the same numbers. */
const contents = items.flatMap(({ source }, item) => (source === 'contents' ? [item] : []));
/** The pairs whose marks the owner has. */
const pairs = [
  ['v0', 'c0'],
  ['v0', 'c1'],
  ['v1', 'c0'],
] as const;
const itemOf = (source: string, key: string) =>
  items.findIndex((item) => item.source === source && item.key === key);
/** Changes before this are long known. */
const startMs = 60_000;

/** The refusal by a version of a mark, for a token that any mark refuses. */
function judgeMark(version: number, now: number): 'VIEWER_BLOCKED' | 'TOKEN_REVOKED' | null {
  const mark = markOf(version);
  if (mark === null) return null;
  if (typeof mark === 'number') return 'TOKEN_REVOKED';
  const { markedAt, blockedUntil } = mark;
  const hasEnded = blockedUntil !== null && now >= blockedUntil;
  if (!hasEnded) return 'VIEWER_BLOCKED';
  return markedAt === null ? null : 'TOKEN_REVOKED';
}

/** A key request with the viewer's id. */
export interface SimulatedRequest extends KeyRequest {
  readonly viewerId: string;
  readonly epoch: number;
}

/** The answer of a replica to a key request. */
export interface Outcome {
  /** `served`, or the code of the refusal. */
  readonly code: string;
  /** With `served`: the version of the content by which it was decided. */
  readonly version?: number;
  readonly opensAt?: number | undefined;
  /** With `served`: whether the viewer is paced. */
  readonly isPaced?: boolean;
}

/** Two replicas and their database, with every event that reaches them in any order: `authority-simulation.test.ts`. */
export class SimulatedKeyServer {
  readonly replicas: readonly [SimulatedReplica, SimulatedReplica];
  nowMs = 0;
  readonly #owner = new SimulatedOwner(keyPeriodsOf);
  readonly #random: Random;
  readonly #clockErrors: [number, number];
  readonly #unanswered: { origin: number; committed: Committed }[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#clockErrors = [this.#pick(clockErrorsMs), this.#pick(clockErrorsMs)];
    this.replicas = [
      new SimulatedReplica('0', this.#owner, this.clockOf(0), null),
      new SimulatedReplica('1', this.#owner, this.clockOf(1), null),
    ];
    // Most contents are registered, and have any of the schedules.
    for (const item of contents)
      for (let count = this.#random(9); count > 0; count--) this.#owner.commit(item, this.nowMs);
    this.nowMs = startMs;
    for (const replica of this.replicas)
      if (this.#random(8) > 0) for (let step = 0; step < 4; step++) replica.stepPull();
  }

  clockOf(which: 0 | 1) {
    return { now: () => this.wallOf(which), monotonic: () => this.nowMs };
  }

  /** The wall clock of a replica begins near the origins of the schedules. */
  wallOf(which: number): number {
    return this.nowMs - startMs + (this.#clockErrors[which] ?? 0);
  }

  /** One event of authority. */
  step(): void {
    const which = this.#random(2);
    const replica = this.replicas[which] as SimulatedReplica;
    const dice = this.#random(100);
    if (dice < 18) this.#commit(which);
    else if (dice < 32) this.#answer();
    else if (dice < 44)
      replica.deliver(this.#random(replica.inbox.length || 1), this.#random(5) === 0, () => {});
    else if (dice < 64) replica.stepPull();
    else if (dice < 66) replica.failPull();
    else if (dice < 72) replica.beginLoad(this.#random(items.length));
    else if (dice < 80) replica.stepLoad(this.#random(replica.loads.length || 1), this.#random(12) === 0);
    else if (dice < 94) this.nowMs += this.#pick(jumpsMs);
    else if (dice < 97) this.#clockErrors[which as 0] = this.#pick(clockErrorsMs);
    else if (dice < 98) this.#owner.purge(1 + this.#random(3));
    else {
      // The process sleeps, and messages to it are lost meanwhile.
      replica.inbox.length = 0;
      this.nowMs += 60_000;
    }
  }

  #commit(origin: number): void {
    const act = this.#random(3) > 0 ? this.#pick(contents) : this.#random(actCount);
    this.#unanswered.push({ origin, committed: this.#owner.commit(act, this.nowMs) });
  }

  #answer(): void {
    const [answered] = this.#unanswered.splice(this.#random(this.#unanswered.length || 1), 1);
    if (!answered) return;
    const { origin, committed } = answered;
    this.replicas[origin]?.answer(committed);
    if (this.#random(3) > 0) this.replicas[1 - origin]?.inbox.push(committed);
  }

  /** A key request of some viewer, whose token any mark refuses. */
  pickRequest(epochs: number): SimulatedRequest {
    const [viewerId, contentId] = this.#pick(pairs);
    return {
      principal: { kind: 'viewer', id: viewerId, issuedNotBefore: null, contents: null, mayUpload: false },
      viewerId,
      contentId,
      epoch: this.#random(epochs),
      leaseId: null,
    };
  }

  /** Reads a state from its owner, in one go. Half of the reads take their time instead, and end in a later step. */
  read(which: number, source: string, key: string): boolean {
    const replica = this.replicas[which] as SimulatedReplica;
    replica.beginLoad(itemOf(source, key));
    if (this.#random(4) === 0) return false;
    const last = replica.loads.length - 1;
    replica.stepLoad(last, false);
    replica.stepLoad(last, false);
    return true;
  }

  /** @throws Error if the contract does not allow this outcome at this instant */
  judge(which: number, request: SimulatedRequest, outcome: Outcome): void {
    const fault = this.#findFault(which, request, outcome);
    if (fault === null) return;
    const { viewerId, contentId, epoch } = request;
    throw new Error(
      `${JSON.stringify({ viewerId, contentId, epoch, ...outcome })}, but ${fault}: replica ${which}, ${this.nowMs} ms`,
    );
  }

  #findFault(
    which: number,
    { viewerId, contentId, epoch }: SimulatedRequest,
    outcome: Outcome,
  ): string | null {
    const marks = this.#possible(which, itemOf('marks', markKey(viewerId, contentId))).map((version) =>
      judgeMark(version, this.wallOf(which)),
    );
    const versions = this.#possible(which, itemOf('contents', contentId));
    const { code } = outcome;
    if (code === 'CONTENT_NOT_FOUND') return versions.includes(0) ? null : 'the content is registered';
    if (code === 'TOKEN_REVOKED' || code === 'VIEWER_BLOCKED')
      return marks.includes(code) ? null : 'neither a mark nor a block of the viewer says so';
    if (!marks.includes(null)) return 'a mark or a block is in force';
    const fits = versions.some((version) => {
      if (version === 0 || (outcome.version ?? version) !== version) return false;
      const judgement = judgeEpoch(keyPeriodsOf(contentId, version), epoch, this.wallOf(which));
      const { isPaced = false } = judgement;
      return (
        judgement.code === code &&
        judgement.opensAt === outcome.opensAt &&
        isPaced === (outcome.isPaced ?? isPaced)
      );
    });
    return fits ? null : `no schedule that this replica may go by says so: versions ${versions.join(', ')}`;
  }

  /** The versions of a state that a replica may go by now: they held within the limit, and it knows of no later one. */
  #possible(which: number, item: number): number[] {
    const { answered, received } = this.replicas[which] as SimulatedReplica;
    const known = Math.max(answered[item] ?? 0, received[item] ?? 0);
    const endedAt = this.#owner.endedAt[item] ?? [];
    return endedAt.flatMap((at, version) =>
      version >= known && (at === undefined || this.nowMs - at <= authorityLimitMs) ? [version] : [],
    );
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }
}
