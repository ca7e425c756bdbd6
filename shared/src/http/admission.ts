import { RecentTurns, Turn } from './admission-turns.ts';
import type { Rank } from './request-rank.ts';

export interface AdmissionOptions<Request> {
  /** How long requests wait for the event loop while others are refused, in milliseconds. */
  targetMs: number;
  /** Called for each request while a queue stands. Requests of the rank `always` are served, however long it is. */
  rankOf: (request: Request) => Rank;
  /** From 0 to 1, without 1. */
  random: () => number;
  /** How long the process has been idle since it began, in milliseconds. Called once in each turn while a queue stands. */
  idleMs: () => number;
  /** Notified of the first refusal of an overload, and when the last one is a while ago. */
  onChange: (isOverloaded: boolean) => void;
}

/**
 * So many requests in one turn of the event loop are no sign of overload, however long the turn took: the process may lack processor time,
 * or a few requests were large. A client with fewer connections is never refused.
 */
const fewRequests = 128;
/**
 * So many times the target is the delay from which on a queue may be an overload: 100 ms with a target of 10. Three thousand connections that each send
 * again at once wait for less, since a key request takes some 30 µs, and they would rather wait than get 503.
 */
export const overloadTargets = 10;
/**
 * A queue that stands for so long does not come from a pause of the process, and not from viewers who came at once: a start of an event
 * or of a key period is served within it.
 */
const standingMs = 1_000;
/**
 * A turn that takes so long, after others that were shorter and long, is not waited for: at three times the load it would take two seconds,
 * and the next one six. It is longer than what ten thousand viewers need who come within a second.
 */
const longMs = 1_500;
/** It must also last for so many whole turns, and another one begin: a pause makes one of them long, and the next one too. */
const standingTurns = 2;
/** A queue that has shrunk to this share of what it was is being worked off. */
const shrunk = 0.75;
/** Requests that are served get at least this share of the time, or a large enough flood would leave time for refusals alone. */
const servedTime = 0.25;
/** A queue of so many times the target is from before requests were refused, unless that is longer ago than this. */
const longQueueTargets = 10;
const workedOffMs = 1_000;
/** The share of time while it is worked off. All of its requests are late already. */
const servedTimeOfLongQueue = 0.1;
/** Of the usual rank at least this share is served, however wrong the measured costs are. */
const leastShare = 0.02;
/** A refusal takes at most this part of what a request takes. The first ones take longer, while their code is compiled. */
const mostRefusalCost = 0.5;
/** One in so many requests may be of the rank `early` before the others of that rank lose it: no credential has been checked yet. */
const earlyPlaces = 8;
/** After so long without a refusal and without a queue the overload is over. */
const overAfterMs = 1_000;

/**
 * Decides which requests are served while more come than the process can serve.
 *
 * One turn of the event loop reads all requests that came during the turn before. So each request has waited for about one turn, and the
 * length of a turn is the delay. If it stays far above the target for a second, with many requests in each turn, and does not shrink, a
 * random share of the requests is refused from then on. After each turn the share is chosen such that the next turn takes the target. A turn
 * that is short, or has few requests, refuses nothing. So the state needs no way back: without load nothing is refused.
 *
 * All times are in milliseconds of one monotonic clock.
 */
export class Admission<Request> {
  readonly #options: AdmissionOptions<Request>;
  /** The share of requests of the usual rank that is served. */
  #share = 1;
  /** When the queue began to stand; null while it does not. */
  #standsSinceMs: number | null = null;
  /** The longest delay since it began to stand, and whole turns since then. */
  #stoodMs = 0;
  #stoodTurns = 0;
  #isOverloaded = false;
  #beganMs = 0;
  /** Whether `onChange` was called for it. */
  #isReported = false;
  /** When a request was refused or had to wait too long for the last time. */
  #troubledMs = 0;

  // The present turn.
  #turn: Turn | null = null;
  #chosenMs = 0;

  // What earlier turns were like.
  #endedMs = 0;
  #delayMs = 0;
  #lately = new RecentTurns();

  constructor(options: AdmissionOptions<Request>) {
    this.#options = options;
  }

  /** Counts a request that begins. @returns whether it is to be served */
  admits(nowMs: number, request: Request): boolean {
    const turn = this.#turn ?? this.#open(nowMs);
    // Ranks cost time, so they are looked up only while they may be needed.
    const rank = this.#isWatching() ? this.#options.rankOf(request) : 'usual';
    const isServed = rank === 'always' || this.#share >= 1 || this.#draw(rank, turn);
    turn.begin(nowMs, rank, isServed);
    if (!isServed) this.#noteRefusal();
    // A turn reads what comes meanwhile too, so under a flood it may not end for long.
    if (nowMs - this.#chosenMs > this.#options.targetMs) this.#look(nowMs, turn);
    return isServed;
  }

  /** The turn has read all requests. */
  endTurn(nowMs: number): void {
    const turn = this.#turn;
    if (!turn) return;
    const delayMs = this.#delayOf(turn, nowMs);
    if (this.#isWatching()) {
      const idleMs = this.#options.idleMs();
      if (turn.requests >= fewRequests) {
        const spanMs = Math.max(this.#delayMs, delayMs, this.#options.targetMs / 10);
        this.#lately.add(turn, { spanMs, sinceMs: nowMs - this.#endedMs, idleMs });
      } else this.#lately.skip(idleMs);
    }
    if (!this.#isOverloaded) this.#noteDelay(nowMs, delayMs, turn);
    this.#choose(nowMs, delayMs, turn);
    this.#turn = null;
    this.#delayMs = delayMs;
    this.#endedMs = nowMs;
    if (turn.refused > 0 || !this.#isCalm(delayMs, turn)) this.#troubledMs = nowMs;
    else if (this.#isOverloaded && nowMs - this.#troubledMs > overAfterMs) this.#end();
  }

  /** The share of requests of the usual rank that is served at present. */
  get share(): number {
    return this.#share;
  }

  #open(nowMs: number): Turn {
    this.#turn = new Turn(nowMs);
    this.#chosenMs = nowMs;
    return this.#turn;
  }

  #isWatching(): boolean {
    return this.#isOverloaded || this.#standsSinceMs !== null;
  }

  #draw(rank: Rank, turn: Turn): boolean {
    if (rank === 'early' && ++turn.early * earlyPlaces <= turn.requests + 1 + earlyPlaces) return true;
    const { random } = this.#options;
    return random() < this.#share && (rank !== 'late' || random() < this.#share);
  }

  /** Many requests cannot have come within an idle moment, so they have waited since the end of the turn before. */
  #delayOf(turn: Turn, nowMs: number): number {
    return nowMs - (turn.requests >= fewRequests && this.#endedMs > 0 ? this.#endedMs : turn.openedMs);
  }

  /** Looks at the delay so far while the turn goes on. */
  #look(nowMs: number, turn: Turn): void {
    const delayMs = this.#delayOf(turn, nowMs);
    // Under a flood each turn is longer than the one before, and the queue would grow until the end of this one.
    const stands = this.#standsSinceMs !== null && this.#stoodTurns >= standingTurns;
    if (!this.#isOverloaded && stands && delayMs >= Math.max(longMs, this.#stoodMs)) this.#begin(nowMs);
    this.#choose(nowMs, delayMs, turn);
  }

  #choose(nowMs: number, delayMs: number, turn: Turn): void {
    this.#chosenMs = nowMs;
    if (!this.#isOverloaded) return;
    this.#share = this.#isCalm(delayMs, turn) ? 1 : this.#shareAfter(nowMs, delayMs);
  }

  #isCalm(delayMs: number, turn: Turn): boolean {
    return delayMs < this.#options.targetMs || turn.requests < fewRequests;
  }

  /**
   * Notes whether the queue stands, after a whole turn. A pause in the middle of a turn lets a long queue gather, which the turns after it
   * work off, each shorter than the one before.
   */
  #noteDelay(nowMs: number, delayMs: number, turn: Turn): void {
    if (this.#isCalm(delayMs, turn) || delayMs < this.#options.targetMs * overloadTargets) {
      this.#standsSinceMs = null;
      return;
    }
    if (this.#standsSinceMs === null || delayMs < this.#stoodMs * shrunk) {
      if (this.#standsSinceMs === null) this.#lately = new RecentTurns(this.#options.idleMs());
      this.#standsSinceMs = nowMs;
      this.#stoodMs = delayMs;
      this.#stoodTurns = 0;
    }
    this.#stoodTurns++;
    this.#stoodMs = Math.max(this.#stoodMs, delayMs);
    // What came during this turn may be less, so this turn does not count.
    if (this.#hasStoodLong(nowMs - delayMs)) this.#begin(nowMs);
  }

  #hasStoodLong(nowMs: number): boolean {
    const since = this.#standsSinceMs;
    return since !== null && this.#stoodTurns >= standingTurns && nowMs - since >= standingMs;
  }

  /** The share with which the next turn takes the target, if requests come as they did. */
  #shareAfter(nowMs: number, delayMs: number): number {
    const { targetMs } = this.#options;
    const { rate, always, late, cost, refusalCost } = this.#lately;
    const expected = rate * delayMs;
    const costMs = cost.value;
    const refusalMs = Math.min(refusalCost.value, costMs * mostRefusalCost);
    // What no share changes: requests that are always served, and a refusal for each of the others.
    const otherMs = expected * refusalMs + always * delayMs;
    const isFromBefore = nowMs - this.#beganMs < workedOffMs && delayMs > longQueueTargets * targetMs;
    const time = isFromBefore ? servedTimeOfLongQueue : servedTime;
    const forServedMs = Math.max(targetMs - otherMs, (otherMs * time) / (1 - time));
    const savedMs = expected * (costMs - refusalMs);
    if (savedMs <= 0) return 1;
    return Math.max(leastShare, Math.min(1, beforeSecondDraw(forServedMs / savedMs, late)));
  }

  #begin(nowMs: number): void {
    this.#isOverloaded = true;
    this.#beganMs = nowMs;
  }

  #noteRefusal(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#options.onChange(true);
  }

  #end(): void {
    this.#isOverloaded = false;
    this.#standsSinceMs = null;
    this.#share = 1;
    if (this.#isReported) this.#options.onChange(false);
    this.#isReported = false;
  }
}

/** The share of the first draw that serves this part of all, if a part of them, `late`, is drawn twice. */
function beforeSecondDraw(part: number, late: number): number {
  if (late < 0.01) return part;
  const once = 1 - late;
  return (Math.sqrt(once * once + 4 * late * part) - once) / (2 * late);
}
