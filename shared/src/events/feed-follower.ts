import type { Clock } from '../clock/clock.ts';
import type { Bus } from './bus.ts';
import type { Change } from './change.ts';
import type { ChangeFeed, FeedPage } from './change-feed.ts';
import type { FeedPosition, FeedRecord } from './feed-position.ts';
import { createFeedProgress } from './feed-progress.ts';

export interface FeedFollower extends FeedPosition {
  /**
   * Reads everything new. The first call begins at the feed's present end, because states that are cached later are
   * covered from there. Overlapping calls share one read. Rejects where the feed cannot be read.
   */
  pull(): Promise<void>;
  /** Called with every change, and with `null` where changes may have been missed and every state has to be dropped. */
  onChange(listener: (change: Change | null) => void): void;
  /** Maximum age of a state that nothing has confirmed since, in milliseconds. */
  readonly limitMs: number;
  /** Milliseconds since the feed was last known to be read completely; null before the first read. */
  ageMs(): number | null;
  /** Monotonic milliseconds: every change that was committed before this instant has been seen; null before the first read. */
  seenUpToMs(): number | null;
  stop(): void;
}

export interface FeedFollowerOptions {
  feed: ChangeFeed;
  bus: Bus;
  clock: Clock;
  /** `AUTHORITY_MAX_AGE_SECONDS` in milliseconds. Default: the 5 s of `docs/contract.md#age-of-a-state`. */
  limitMs?: number;
  /**
   * Called with each change that was applied here, pushed or pulled, and the time of its row. The same change may come
   * twice.
   */
  onApplied?: (number: number, at: number, change: Change) => void;
  /** Receives the changes with their numbers, for states that are shared with a number of the feed. */
  record?: FeedRecord;
  /** Maximum number of changes before the first read that the record receives. Zero where it is absent. */
  recalledChanges?: number;
}

/** Follows the change feed by push (the bus) and by pull, and knows up to which instant it has seen every change. */
export function createFeedFollower(options: FeedFollowerOptions): FeedFollower {
  const { feed, bus, clock, onApplied, record, recalledChanges = 0, limitMs } = options;
  const listeners: ((change: Change | null) => void)[] = [];
  const notify = (change: Change | null) => {
    for (const listener of listeners) listener(change);
  };
  const progress = createFeedProgress(clock, notify, record, onApplied, limitMs);
  let pulling: Promise<void> | null = null;

  const unsubscribe = bus.subscribe((message) => {
    if (message.type === 'change') progress.receive(message.number, message.at, message.change, message.link);
  });

  function pull(): Promise<void> {
    pulling ??= catchUp().finally(() => {
      pulling = null;
    });
    return pulling;
  }

  async function catchUp(): Promise<void> {
    for (;;) {
      const reading = progress.begin();
      if (reading.after === null) {
        const { head, history, changes } = await recall(feed, await feed.head(), recalledChanges);
        return progress.start(reading, head, changes, history);
      }
      if (progress.apply(reading, await feed.since(reading.after))) return;
    }
  }

  return {
    vouchesFor: progress.vouchesFor,
    pull,
    onChange: (listener) => void listeners.push(listener),
    limitMs: progress.limitMs,
    ageMs: progress.ageMs,
    seenUpToMs: progress.seenUpToMs,
    stop: unsubscribe,
  };
}

/**
 * The end of the feed with the latest changes up to it. The head's own change is among them: it identifies the row with
 * that number. The head is that of the first page, because the database may have been restored since that page was
 * read.
 *
 * @throws Error where two pages are of different histories; the next pull starts again
 */
async function recall(feed: ChangeFeed, headBefore: number, recalledChanges: number): Promise<FeedPage> {
  const first = await feed.since(Math.max(0, headBefore - Math.max(1, recalledChanges)));
  const changes = [...first.changes];
  while ((changes.at(-1)?.number ?? first.head) < first.head) {
    const page = await feed.since(changes.at(-1)?.number ?? 0);
    if (page.history !== first.history) throw new Error('the database was put back while it was read');
    if (page.changes.length === 0) break;
    changes.push(...page.changes);
  }
  return { ...first, changes };
}
