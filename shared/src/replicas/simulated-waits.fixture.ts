import type { Clock } from '../clock/clock.ts';
import {
  AppliedWaits,
  type AwaitedPlace,
  type FeedProgress,
  listedForMs,
  unlisted,
} from '../events/index.ts';
import type { SimulatedOwner } from './simulated-owner.fixture.ts';

/** The answer of a process to another one that waits. */
export interface Confirmation {
  confirmedBy: string;
  place: AwaitedPlace;
}

/** The waits of one process, as `applied-everywhere.ts` begins them, and its answers to the waits of others. */
export class SimulatedWaits {
  readonly open = new AppliedWaits();
  readonly #process: string;
  readonly #owner: SimulatedOwner;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #progress: Pick<FeedProgress, 'place' | 'limitMs'>;
  #unsureUntilMs = 0;

  constructor(
    process: string,
    owner: SimulatedOwner,
    clock: Pick<Clock, 'monotonic'>,
    progress: Pick<FeedProgress, 'place' | 'limitMs'>,
  ) {
    this.#process = process;
    this.#owner = owner;
    this.#clock = clock;
    this.#progress = progress;
  }

  /** The process has dropped every state: a failover may have taken processes off the list. */
  beUnsure(): void {
    this.#unsureUntilMs = this.#clock.monotonic() + listedForMs + this.#progress.limitMs;
  }

  /**
   * Waits until no replica serves from a state of now.
   *
   * @returns what the other replicas are asked
   */
  begin(done: () => void): AwaitedPlace {
    const { roster } = this.#owner;
    const place = { number: this.#owner.head(), history: this.#owner.history() };
    const nowMs = this.#clock.monotonic();
    const isSure = this.#progress.place()?.history === place.history && nowMs >= this.#unsureUntilMs;
    const unknown = isSure ? [] : [{ process: unlisted, limitMs: this.#progress.limitMs }];
    roster.awaited = place.number;
    this.open.begin(place, [...roster.list(), ...unknown], nowMs, done);
    this.confirm(place, (confirmation) => this.open.confirm(confirmation.confirmedBy, confirmation.place));
    return place;
  }

  /** Answers one that waits, if it has applied what that waits for. */
  confirm(awaited: AwaitedPlace, send: (confirmation: Confirmation) => void): void {
    const place = this.#progress.place();
    if (place?.history === awaited.history && place.number >= awaited.number)
      send({ confirmedBy: this.#process, place });
  }
}
