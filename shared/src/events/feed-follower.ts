import type { Clock } from '../clock/index.ts';
import type { Bus } from './bus.ts';
import type { Change } from './change.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { FeedPosition } from './feed-position.ts';
import { createFeedProgress } from './feed-progress.ts';

export interface FeedFollower extends FeedPosition {
  /**
   * Reads everything that is new; the first call begins at the feed's present end, because whatever is cached from then
   * on is followed. Calls that overlap share one read. Rejects where the feed cannot be read.
   */
  pull(): Promise<void>;
  /** Hears every change, and `null` where changes may have been missed and everything has to be forgotten. */
  onChange(listener: (change: Change | null) => void): void;
  /** Milliseconds since everything was last known to have been seen; null before the first read. */
  ageMs(): number | null;
  stop(): void;
}

export interface FeedFollowerOptions {
  feed: ChangeFeed;
  bus: Bus;
  clock: Clock;
  /** Hears how many milliseconds after the time of its row a pushed change was applied here. */
  onDelay?: (delayMs: number) => void;
}

/** Follows the change feed by push (the bus) and by pull, and knows up to which instant it has seen everything. */
export function createFeedFollower({ feed, bus, clock, onDelay }: FeedFollowerOptions): FeedFollower {
  const listeners: ((change: Change | null) => void)[] = [];
  const progress = createFeedProgress(clock, (change) => {
    for (const listener of listeners) listener(change);
  });
  let pulling: Promise<void> | null = null;

  const unsubscribe = bus.subscribe((message) => {
    if (message.type !== 'change') return;
    progress.hear(message.number, message.change);
    onDelay?.(Math.max(0, clock.now() - message.at));
  });

  async function catchUp(): Promise<void> {
    for (;;) {
      const reading = progress.begin();
      if (reading.after === null) return progress.start(reading, await feed.head());
      if (progress.apply(reading, await feed.since(reading.after))) return;
    }
  }

  return {
    vouchesFor: progress.vouchesFor,
    pull() {
      pulling ??= catchUp().finally(() => {
        pulling = null;
      });
      return pulling;
    },
    onChange: (listener) => void listeners.push(listener),
    ageMs: progress.ageMs,
    stop: unsubscribe,
  };
}
