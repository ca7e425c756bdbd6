import type { Clock } from '../clock/index.ts';
import type { Bus } from './bus.ts';
import type { Change } from './change.ts';
import type { ChangeFeed, FeedPage } from './change-feed.ts';
import type { FeedPosition } from './feed-position.ts';
import { createFeedProgress } from './feed-progress.ts';
import type { FeedRecord } from './feed-record.ts';

export interface FeedFollower extends FeedPosition {
  /**
   * Reads everything that is new; the first call begins at the feed's present end, because whatever is cached from then
   * on is followed. Calls that overlap share one read. Rejects where the feed cannot be read.
   */
  pull(): Promise<void>;
  /** Hears every change, and `null` where changes may have been missed and everything has to be forgotten. */
  onChange(listener: (change: Change | null) => void): void;
  /** How old a state may be that nothing has confirmed since, in milliseconds. */
  readonly limitMs: number;
  /** Milliseconds since everything was last known to have been seen; null before the first read. */
  ageMs(): number | null;
  /** Monotonic milliseconds: every change that was committed before has been seen; null before the first read. */
  seenUpToMs(): number | null;
  stop(): void;
}

export interface FeedFollowerOptions {
  feed: ChangeFeed;
  bus: Bus;
  clock: Clock;
  /** `AUTHORITY_MAX_AGE_SECONDS` in milliseconds; the 5 s of `docs/contract.md#age-of-a-state` if it is left out. */
  limitMs?: number;
  /** Hears how many milliseconds after the time of its row a pushed change was applied here. */
  onDelay?: (delayMs: number) => void;
  /** Hears each change that was applied here, pushed or pulled, with the time of its row. May be told of one twice. */
  onApplied?: (number: number, at: number, change: Change) => void;
  /** Is told what is seen with the numbers, for those who are given states of a known number. */
  record?: FeedRecord;
  /** How many of the changes before the first read the record is to be told of, at most. None where it is absent. */
  recalledChanges?: number;
}

/**
 * How long after a hint the feed is read. A stranger who writes to NATS can send hints without end, and this keeps it to ten
 * readings a second, each of one small page. Changes of 0.2.0 processes are late by as much.
 */
const hintedPullMs = 100;

/** Follows the change feed by push (the bus) and by pull, and knows up to which instant it has seen everything. */
export function createFeedFollower(options: FeedFollowerOptions): FeedFollower {
  const { feed, bus, clock, onDelay, onApplied, record, recalledChanges = 0, limitMs } = options;
  const listeners: ((change: Change | null) => void)[] = [];
  const tell = (change: Change | null) => {
    for (const listener of listeners) listener(change);
  };
  const progress = createFeedProgress(clock, tell, record, onApplied, limitMs);
  let pulling: Promise<void> | null = null;
  let hinted: NodeJS.Timeout | undefined;

  const unsubscribe = bus.subscribe((message) => {
    if (message.type === 'hint') pullSoon();
    if (message.type !== 'change') return;
    progress.hear(message.number, message.at, message.change, message.link);
    onDelay?.(Math.max(0, clock.now() - message.at));
  });

  /** What a hint says is not believed: were it applied, a flood of hints would drop every state before it can be used. */
  function pullSoon(): void {
    hinted ??= setTimeout(() => {
      hinted = undefined;
      // The pull that is due every second says why the feed cannot be read.
      pull().catch(() => {});
    }, hintedPullMs);
    hinted.unref();
  }

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
        const { head, history, changes } = await recall(await feed.head());
        return progress.start(reading, head, changes, history ?? null);
      }
      if (progress.apply(reading, await feed.since(reading.after))) return;
    }
  }

  /**
   * The end of the feed with the latest changes up to there, that of the head itself among them: by it the number is known
   * again. The head is that of the first page: the database may have been put back since the given one was read.
   *
   * @throws Error where two pages are of different histories; the next pull begins anew
   */
  async function recall(headBefore: number): Promise<FeedPage> {
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

  return {
    vouchesFor: progress.vouchesFor,
    pull,
    onChange: (listener) => void listeners.push(listener),
    limitMs: progress.limitMs,
    ageMs: progress.ageMs,
    seenUpToMs: progress.seenUpToMs,
    stop() {
      unsubscribe();
      clearTimeout(hinted);
    },
  };
}
