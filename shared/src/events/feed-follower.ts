import type { Clock } from '../clock/clock.ts';
import type { AwaitedPlace } from './applied-waits.ts';
import type { Bus } from './bus.ts';
import type { Change } from './change.ts';
import type { ChangeFeed, FeedPage, FollowerReport } from './change-feed.ts';
import type { FeedRecord } from './feed-position.ts';
import { createFeedProgress } from './feed-progress.ts';

export type FeedFollower = ReturnType<typeof createFeedFollower>;

export interface FeedFollowerOptions {
  feed: ChangeFeed;
  bus: Bus;
  clock: Clock;
  /** `AUTHORITY_MAX_AGE_SECONDS` in milliseconds. Default: the 5 s of `docs/reference/contract.md#age-of-a-state`. */
  limitMs?: number;
  /**
   * Called with each change that was applied here, pushed or pulled, and the time of its row. The same change may come
   * twice.
   */
  onApplied?: (number: number, at: number, change: Change) => void;
  /** Receives the changes with their numbers, for states that are shared with a number of the feed. */
  record?: FeedRecord;
  /** Maximum number of changes before the first read that the record receives. Default: 0. */
  recalledChanges?: number;
  /** The name of this process on the list of followers. Default: none, for a feed without a list. */
  process?: string | undefined;
}

/** Follows the change feed by push (the bus) and by pull, and knows up to which instant it has seen every change. */
export function createFeedFollower(options: FeedFollowerOptions) {
  const { feed, bus, clock, onApplied, record, recalledChanges = 0, limitMs, process } = options;
  const listeners: ((change: Change | null) => void)[] = [];
  const notify = (change: Change | null) => {
    for (const listener of listeners) listener(change);
  };
  const progress = createFeedProgress(clock, notify, record, onApplied, limitMs);
  let pulling: Promise<void> | null = null;

  const unsubscribe = bus.subscribe((message) => {
    if (message.type === 'change') progress.receive(message.number, message.at, message.change, message.link);
    else if (message.type === 'awaited' && process !== undefined) void confirm(process, message);
  });

  /** Answers a process that waits. A change that was not pushed is pulled. A pull that has begun before may miss it. */
  async function confirm(process: string, awaited: AwaitedPlace): Promise<void> {
    for (let pulls = 0; pulls <= 2; pulls++) {
      const place = progress.place();
      if (place?.history === awaited.history && place.number >= awaited.number) {
        if (feed.followers?.mayConfirm()) bus.publish({ type: 'applied', process, ...place });
        return;
      }
      // The next regular pull reports it.
      await pull().catch(() => {});
    }
  }

  function report(): FollowerReport | undefined {
    if (process === undefined) return undefined;
    const place = progress.place();
    const { number: applied, history } = place ?? { number: 0, history: null };
    return { process, limitMs: Math.ceil(progress.limitMs), history, applied };
  }

  /**
   * Reads everything new. The first call begins at the feed's present end, because states that are cached later are
   * covered from there. Overlapping calls share one read. Rejects where the feed cannot be read.
   */
  function pull(): Promise<void> {
    pulling ??= catchUp().finally(() => {
      pulling = null;
    });
    return pulling;
  }

  async function catchUp(): Promise<void> {
    let hasReported = false;
    for (;;) {
      const reading = progress.begin();
      const reported = report();
      const read = (number: number) => feed.since(number, reported);
      let awaited: number | undefined;
      if (reading.after === null) {
        const { head, history, changes, ...page } = await recall(read, await feed.head(), recalledChanges);
        progress.start(reading, head, changes, history);
        awaited = page.awaited;
      } else {
        const page = await read(reading.after);
        if (!progress.apply(reading, page)) continue;
        awaited = page.awaited;
      }
      // Somebody waits for what was just applied, and only a pull reports it.
      const isDue = awaited !== undefined && awaited > 0 && !hasReached(reported, progress.place(), awaited);
      if (!isDue || hasReported) return;
      hasReported = true;
    }
  }

  const { vouchesFor, ageMs, seenUpToMs, place } = progress;
  return {
    ...{ vouchesFor, limitMs: progress.limitMs, ageMs, seenUpToMs, place, pull },
    /** Called with every change, and with `null` where changes may have been missed and every state has to be dropped. */
    onChange: (listener: (change: Change | null) => void) => void listeners.push(listener),
    stop: unsubscribe,
  };
}

/** Whether the report confirms the awaited number as applied, in the history that is followed now. */
function hasReached(
  report: FollowerReport | undefined,
  place: AwaitedPlace | null,
  awaited: number,
): boolean {
  return report !== undefined && report.history === place?.history && report.applied >= awaited;
}

/**
 * The end of the feed with the latest changes up to it. The head's own change is among them: it identifies the row with
 * that number. The head of the first page is used, because the database may have been restored since that page was
 * read.
 *
 * @throws Error if two pages are of different histories; the next pull starts again
 */
async function recall(
  read: (number: number) => Promise<FeedPage>,
  headBefore: number,
  recalledChanges: number,
): Promise<FeedPage> {
  const first = await read(Math.max(0, headBefore - Math.max(1, recalledChanges)));
  const changes = [...first.changes];
  while ((changes.at(-1)?.number ?? first.head) < first.head) {
    const page = await read(changes.at(-1)?.number ?? 0);
    if (page.history !== first.history) throw new Error('the database was put back while it was read');
    if (page.changes.length === 0) break;
    changes.push(...page.changes);
  }
  return { ...first, changes };
}
