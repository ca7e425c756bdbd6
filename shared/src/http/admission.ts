import type { Rank } from './request-rank.ts';

export interface AdmissionOptions<Request> {
  /** How long requests wait for the event loop while others are refused, in milliseconds. */
  targetMs: number;
  rankOf: (request: Request) => Rank;
  /** From 0 to 1, without 1. */
  random: () => number;
  /** Notified when requests begin to be refused, and when the last refusal is a while ago. */
  onChange: (isOverloaded: boolean) => void;
}

/**
 * So many requests in one turn of the event loop are no sign of overload, however long the turn took: the process may lack processor time,
 * or a few requests were large. A client with fewer connections is never refused.
 */
const fewRequests = 128;
/**
 * So many times the target is the delay from which on a queue may be an overload: 50 ms. A thousand connections that each send again at
 * once wait for less, since a key request takes some 30 µs, and they would rather wait than get 503.
 */
const overloadTargets = 5;
/**
 * A queue that stands for so long does not come from a pause of the process, and not from viewers who came at once: a start of an event
 * or of a key period is served within it.
 */
const standingMs = 1_000;
/** A queue that takes so long and does not shrink is refused at once: the longer it gets, the more of it must be refused. */
const longMs = 500;
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
/** The weight of the latest turn in what is remembered of earlier ones. */
const newest = 0.3;
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
  /** The delay when it began to stand. */
  #stoodMs = 0;
  #isOverloaded = false;
  #beganMs = 0;
  /** When a request was refused or had to wait too long for the last time. */
  #troubledMs = 0;

  // The present turn.
  #isOpen = false;
  #openedMs = 0;
  #chosenMs = 0;
  #lastMs = 0;
  #wasServed = true;
  #served = 0;
  #servedMs = 0;
  #servedTimed = 0;
  #refused = 0;
  #refusedMs = 0;
  #refusedTimed = 0;
  #early = 0;

  // What earlier turns were like.
  #endedMs = 0;
  #delayMs = 0;
  /** Requests in each millisecond. */
  #rate = 0;
  readonly #cost = new Average();
  readonly #refusalCost = new Average();

  constructor(options: AdmissionOptions<Request>) {
    this.#options = options;
  }

  /** Counts a request that begins. @returns whether it is to be served */
  admits(nowMs: number, request: Request): boolean {
    if (this.#isOpen) this.#attribute(nowMs);
    else this.#open(nowMs);
    const isServed = this.#share >= 1 || this.#draw(this.#options.rankOf(request));
    this.#wasServed = isServed;
    if (isServed) this.#served++;
    else this.#refused++;
    // A turn reads what comes meanwhile too, so under a flood it may not end for long.
    if (nowMs - this.#chosenMs > this.#options.targetMs) this.#look(nowMs);
    return isServed;
  }

  /** The turn has read all requests. */
  endTurn(nowMs: number): void {
    const delayMs = nowMs - this.#sinceMs();
    this.#learn(delayMs);
    if (!this.#isOverloaded && this.#stands(nowMs, delayMs)) this.#begin(nowMs);
    this.#choose(nowMs, delayMs);
    this.#isOpen = false;
    this.#delayMs = delayMs;
    this.#endedMs = nowMs;
    if (this.#refused > 0 || !this.#isCalm(delayMs)) this.#troubledMs = nowMs;
    else if (this.#isOverloaded && nowMs - this.#troubledMs > overAfterMs) this.#end();
  }

  /** The share of requests of the usual rank that is served at present. */
  get share(): number {
    return this.#share;
  }

  #open(nowMs: number): void {
    this.#isOpen = true;
    this.#openedMs = nowMs;
    this.#chosenMs = nowMs;
    this.#lastMs = nowMs;
    this.#served = 0;
    this.#servedMs = 0;
    this.#servedTimed = 0;
    this.#refused = 0;
    this.#refusedMs = 0;
    this.#refusedTimed = 0;
    this.#early = 0;
  }

  #draw(rank: Rank): boolean {
    if (rank === 'always') return true;
    if (rank === 'early' && ++this.#early * earlyPlaces <= this.#served + this.#refused + earlyPlaces)
      return true;
    const { random } = this.#options;
    return random() < this.#share && (rank !== 'late' || random() < this.#share);
  }

  /**
   * The time since the request before belongs to that one: its work, and what was done between them. The last one of a turn is not timed,
   * because the rest of the turn's work follows it.
   */
  #attribute(nowMs: number): void {
    const tookMs = nowMs - this.#lastMs;
    if (this.#wasServed) {
      this.#servedMs += tookMs;
      this.#servedTimed++;
    } else {
      this.#refusedMs += tookMs;
      this.#refusedTimed++;
    }
    this.#lastMs = nowMs;
  }

  /** Many requests cannot have come within an idle moment, so they have waited since the end of the turn before. */
  #sinceMs(): number {
    return this.#served + this.#refused >= fewRequests && this.#endedMs > 0 ? this.#endedMs : this.#openedMs;
  }

  #learn(delayMs: number): void {
    const requests = this.#served + this.#refused;
    if (requests < fewRequests) return;
    const { targetMs } = this.#options;
    this.#rate = mix(this.#rate, requests / Math.max(this.#delayMs, delayMs, targetMs / 10));
    this.#cost.add(this.#servedMs, this.#servedTimed);
    this.#refusalCost.add(this.#refusedMs, this.#refusedTimed);
  }

  /** Looks at the delay so far while the turn goes on. */
  #look(nowMs: number): void {
    const delayMs = nowMs - this.#sinceMs();
    // Under a flood each turn is longer than the one before, and the queue would grow until the end of this one.
    const grows = this.#standsSinceMs !== null && delayMs >= Math.max(longMs, this.#stoodMs);
    if (!this.#isOverloaded && grows) this.#begin(nowMs);
    this.#choose(nowMs, delayMs);
  }

  #choose(nowMs: number, delayMs: number): void {
    this.#chosenMs = nowMs;
    if (this.#isOverloaded) this.#share = this.#isCalm(delayMs) ? 1 : this.#shareAfter(nowMs, delayMs);
  }

  #isCalm(delayMs: number): boolean {
    return delayMs < this.#options.targetMs || this.#served + this.#refused < fewRequests;
  }

  /**
   * Whether the queue stands. Only whole turns count: a pause in the middle of a turn lets a long queue gather, which the turns after it
   * work off, each shorter than the one before.
   */
  #stands(nowMs: number, delayMs: number): boolean {
    if (this.#isCalm(delayMs) || delayMs < this.#options.targetMs * overloadTargets) {
      this.#standsSinceMs = null;
      return false;
    }
    if (this.#standsSinceMs === null || delayMs < this.#stoodMs * shrunk) {
      this.#standsSinceMs = nowMs;
      this.#stoodMs = delayMs;
      return false;
    }
    return delayMs >= longMs || nowMs - this.#standsSinceMs >= standingMs;
  }

  /** The share with which the next turn takes the target, if requests come as they did. */
  #shareAfter(nowMs: number, delayMs: number): number {
    const expected = this.#rate * delayMs;
    const costMs = this.#cost.value;
    const refusalMs = Math.min(this.#refusalCost.value, costMs * mostRefusalCost);
    const refusalsMs = expected * refusalMs;
    const isFromBefore =
      nowMs - this.#beganMs < workedOffMs && delayMs > longQueueTargets * this.#options.targetMs;
    const time = isFromBefore ? servedTimeOfLongQueue : servedTime;
    const forServedMs = Math.max(this.#options.targetMs - refusalsMs, (refusalsMs * time) / (1 - time));
    const savedMs = expected * (costMs - refusalMs);
    return savedMs > 0 ? Math.max(leastShare, Math.min(1, forServedMs / savedMs)) : 1;
  }

  #begin(nowMs: number): void {
    this.#isOverloaded = true;
    this.#beganMs = nowMs;
    this.#options.onChange(true);
  }

  #end(): void {
    this.#isOverloaded = false;
    this.#standsSinceMs = null;
    this.#options.onChange(false);
  }
}

function mix(before: number, now: number): number {
  return before === 0 ? now : before + (now - before) * newest;
}

/** The average of what came lately. Each turn weighs as much as it has values, so that a single odd value in a turn does not count much. */
class Average {
  #sum = 0;
  #count = 0;

  add(sum: number, count: number): void {
    this.#sum += (sum - this.#sum) * newest;
    this.#count += (count - this.#count) * newest;
  }

  /** 0 before the first value. */
  get value(): number {
    return this.#count > 0 ? this.#sum / this.#count : 0;
  }
}
