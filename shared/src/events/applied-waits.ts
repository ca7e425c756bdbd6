import type { FollowerReport } from './change-feed.ts';

/** A place in the feed that a process has reached, or that a request waits for. */
export interface AwaitedPlace {
  number: number;
  history: string;
}

/** Represents processes that may be missing from the list. It never confirms and is never dropped: only its limit ends the wait for it. */
export const unlisted = '';

interface Wait extends AwaitedPlace {
  /** The processes that have not confirmed, each with the monotonic instant after which it cannot serve an older state. */
  readonly open: Map<string, number>;
  readonly done: () => void;
}

/** Twice the 500 ppm by which NTP may slew a clock, for each of two clocks, five times. */
const clockRateDoubt = 0.01;
/** An instant is rounded to whole milliseconds in several places. */
const roundingMs = 20;

/** Waits that are open in this process, and what ends them. It holds no timer and reads nothing. */
export class AppliedWaits {
  readonly #waits = new Set<Wait>();

  get size(): number {
    return this.#waits.size;
  }

  /**
   * Begins a wait.
   *
   * @param followers as they were listed after the commit
   * @param committedAtMs monotonic; the commit was not later
   * @param done called once, perhaps at once
   */
  begin(
    place: AwaitedPlace,
    followers: readonly Pick<FollowerReport, 'process' | 'limitMs'>[],
    committedAtMs: number,
    done: () => void,
  ): void {
    const open = new Map(
      followers.map(({ process, limitMs }) => [
        process,
        committedAtMs + limitMs * (1 + clockRateDoubt) + roundingMs,
      ]),
    );
    const wait: Wait = { ...place, open, done };
    this.#waits.add(wait);
    this.#settle(wait);
  }

  /** A process has applied every change up to this place. */
  confirm(process: string, { number, history }: AwaitedPlace): void {
    for (const wait of this.#waits) {
      if (wait.history !== history || wait.number > number) continue;
      wait.open.delete(process);
      this.#settle(wait);
    }
  }

  /** The list as it is now. A process that is no longer on it serves nothing before it has read the feed again. */
  note(followers: readonly FollowerReport[]): void {
    for (const { process, history, applied } of followers) {
      if (history !== null) this.confirm(process, { number: applied, history });
    }
    const listed = new Set(followers.map(({ process }) => process));
    for (const wait of this.#waits) {
      for (const process of wait.open.keys())
        if (process !== unlisted && !listed.has(process)) wait.open.delete(process);
      this.#settle(wait);
    }
  }

  /**
   * Ends the waits for processes that can no longer serve an older state.
   *
   * @returns those processes, which did not confirm in time
   */
  expire(nowMs: number): Set<string> {
    const late = new Set<string>();
    for (const wait of this.#waits) {
      for (const [process, untilMs] of wait.open) {
        if (untilMs >= nowMs) continue;
        wait.open.delete(process);
        late.add(process);
      }
      this.#settle(wait);
    }
    return late;
  }

  #settle(wait: Wait): void {
    if (wait.open.size === 0 && this.#waits.delete(wait)) wait.done();
  }
}
