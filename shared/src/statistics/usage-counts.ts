import type { Clock } from '../clock/clock.ts';
import { type UsageCount, type UsageRequests, usageKinds, usageRequests } from '../contracts/index.ts';
import { redactId, redactName } from '../log/index.ts';
import { SeriesCounts, type Served } from './series-counts.ts';

const minuteMs = 60_000;
/**
 * Series of a kind that keep a count of their own in a minute. An API key, a busy content or a code is nearly always among them. A
 * month of such hours takes some 10 MB (`docs/operate/sizing.md`).
 */
export const seriesKept = 50;
/** Minutes that wait for the database, some 5 MB with every kind at its limit. It is rarely away for so long. */
const mostMinutes = 60;

/** The counts of one minute, with a number that no other minute of this process has. */
export interface UsageMinute {
  number: number;
  /** Its start, milliseconds since 1970. */
  at: number;
  counts: UsageCount[];
}

/** The requests of one minute and sort. */
class MinuteCounts {
  readonly #total: Served = { served: 0, refused: 0 };
  readonly #kinds = {
    code: new SeriesCounts(),
    content: new SeriesCounts(),
    viewer: new SeriesCounts(),
    'api-key': new SeriesCounts(),
  };

  add(code: string | null, contentId: string | null, viewerId: string | null, apiKeyId: string | null): void {
    const isServed = code === null;
    const kinds = this.#kinds;
    if (isServed) this.#total.served++;
    else {
      this.#total.refused++;
      kinds.code.add(code, false);
    }
    if (contentId !== null) kinds.content.add(contentId, isServed);
    if (viewerId !== null) kinds.viewer.add(viewerId, isServed);
    if (apiKeyId !== null) kinds['api-key'].add(apiKeyId, isServed);
  }

  toCounts(requests: UsageRequests): UsageCount[] {
    const { served, refused } = this.#total;
    if (served + refused === 0) return [];
    return [
      { requests, kind: 'total' as const, series: '', served, refused },
      ...usageKinds.flatMap((kind) =>
        this.#kinds[kind].top(seriesKept, nameOf).map((count) => ({ requests, kind, ...count })),
      ),
    ];
  }
}

/**
 * A caller may have put a raw key, a token or the id of a session in the place of an id. The last looks like one hash of 64, so it is shown where a
 * request was served: then it is the id of a content or viewer.
 */
function nameOf(series: string, { served }: Served): string {
  return served > 0 ? redactId(series) : redactName(series);
}

/** Counts the requests that this process decides, minute by minute, in its memory until they are reported. */
export class UsageCounts {
  readonly #clock: Clock;
  #at = Number.NEGATIVE_INFINITY;
  #now: Record<UsageRequests, MinuteCounts> | null = null;
  #ended: UsageMinute[] = [];
  #last = 0;
  /** Minutes that were given up, because their reports failed for too long. */
  lostMinutes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a request once. It never waits and never throws. An object in place of the arguments would be made for each key request.
   *
   * @param code of the refusal; null if the request was served
   * @param contentId null if the request names none
   * @param viewerId null if the caller is not known
   * @param apiKeyId null if the caller is not known
   */
  count(
    requests: UsageRequests,
    code: string | null,
    contentId: string | null,
    viewerId: string | null,
    apiKeyId: string | null,
  ): void {
    const now = this.#clock.now();
    // Where the clock is set back, counting continues in the latest minute.
    if (this.#now === null || now >= this.#at + minuteMs) this.#begin(now);
    this.#now?.[requests].add(code, contentId, viewerId, apiKeyId);
  }

  /** The minutes that are over and not yet reported, oldest first. */
  ended(): readonly UsageMinute[] {
    if (this.#now !== null && this.#clock.now() >= this.#at + minuteMs) this.end();
    return this.#ended;
  }

  /** Ends the minute under way. Later requests of it are another report, which is added to it. */
  end(): void {
    if (this.#now === null) return;
    const counts = usageRequests.flatMap((requests) => this.#now?.[requests].toCounts(requests) ?? []);
    this.#ended.push({ number: ++this.#last, at: this.#at, counts });
    this.#now = null;
    if (this.#ended.length <= mostMinutes) return;
    this.#ended.shift();
    this.lostMinutes++;
  }

  /** Forgets a minute that was reported. */
  settle(number: number): void {
    this.#ended = this.#ended.filter((minute) => minute.number !== number);
  }

  #begin(now: number): void {
    this.end();
    this.#at = now - (now % minuteMs);
    this.#now = { keys: new MinuteCounts(), leases: new MinuteCounts() };
  }
}
