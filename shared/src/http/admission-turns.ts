import type { Rank } from './request-rank.ts';

/** The weight of the latest turn in what is remembered of earlier ones. */
const newest = 0.3;

/** Requests of one turn of the event loop, and the time that they took, in milliseconds. */
export class Turn {
  readonly openedMs: number;
  served = 0;
  refused = 0;
  /** Served, whatever the load is. */
  always = 0;
  /** Of the rank `early`, while a share is drawn. */
  early = 0;
  /** Of the rank `late`. */
  late = 0;
  refusedMs = 0;
  refusedTimed = 0;
  alwaysMs = 0;
  #lastMs: number;
  #last: 'served' | 'refused' | 'always' = 'served';

  constructor(nowMs: number) {
    this.openedMs = nowMs;
    this.#lastMs = nowMs;
  }

  get requests(): number {
    return this.served + this.refused + this.always;
  }

  /**
   * Counts a request that begins. The time since the one before belongs to that one. The last one of a turn is not timed, because the rest
   * of the turn's work follows it.
   */
  begin(nowMs: number, rank: Rank, isServed: boolean): void {
    const tookMs = nowMs - this.#lastMs;
    if (this.#last === 'refused') {
      this.refusedMs += tookMs;
      this.refusedTimed++;
    } else if (this.#last === 'always') this.alwaysMs += tookMs;
    this.#lastMs = nowMs;
    if (rank === 'late') this.late++;
    this.#last = isServed ? (rank === 'always' ? 'always' : 'served') : 'refused';
    this[this.#last]++;
  }
}

interface TurnTimes {
  /** During which its requests came. */
  spanMs: number;
  /** Since the end of the turn before. */
  sinceMs: number;
  /** All time in which the process was idle so far. */
  idleMs: number;
}

/** What turns were like lately. */
export class RecentTurns {
  /** Requests that may be refused, in each millisecond. */
  rate = 0;
  /** The part of the time that requests take which are always served. */
  always = 0;
  /** The part of the rank `late` of those that may be refused. */
  late = 0;
  /** Milliseconds of a request that was served and could have been refused. */
  readonly cost = new Average();
  readonly refusalCost = new Average();
  #idleMs: number;

  /** @param idleMs all time in which the process was idle so far */
  constructor(idleMs = 0) {
    this.#idleMs = idleMs;
  }

  add(turn: Turn, { spanMs, sinceMs, idleMs }: TurnTimes): void {
    const some = turn.served + turn.refused;
    this.rate = mix(this.rate, some / spanMs);
    this.always = mix(this.always, turn.alwaysMs / spanMs);
    this.late = some > 0 ? mix(this.late, turn.late / some) : this.late;
    // All that is left of the turn's time: a part of a request's work comes later, such as a transaction or an upstream's answer.
    const workMs = sinceMs - (idleMs - this.#idleMs) - turn.refusedMs - turn.alwaysMs;
    this.#idleMs = idleMs;
    this.cost.add(Math.max(0, workMs), turn.served);
    this.refusalCost.add(turn.refusedMs, turn.refusedTimed);
  }

  /** A turn that says nothing about an overload. */
  skip(idleMs: number): void {
    this.#idleMs = idleMs;
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
