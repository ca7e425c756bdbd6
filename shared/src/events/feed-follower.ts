import type { Clock } from '../clock/index.ts';
import type { Bus } from './bus.ts';
import type { Change } from './change.ts';
import type { ChangeFeed, FeedPage } from './change-feed.ts';
import { authorityLimitMs, type FeedPosition } from './feed-position.ts';

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
  let lastNumber: number | null = null;
  let seenUpToMs: number | null = null;
  let pulling: Promise<void> | null = null;

  const tell = (change: Change | null) => {
    for (const listener of listeners) listener(change);
  };

  const unsubscribe = bus.subscribe((message) => {
    if (message.type !== 'change') return;
    tell(message.change);
    // Out of order or doubled, it was a hint all the same; the pull goes on where the unbroken row of numbers ends.
    if (lastNumber !== null && message.number === lastNumber + 1) lastNumber = message.number;
    onDelay?.(Math.max(0, clock.now() - message.at));
  });

  /** @returns the number up to which everything has been told */
  function apply(page: FeedPage, asked: number): number {
    const first = page.changes[0]?.number ?? page.head + 1;
    if (page.head < asked || first !== asked + 1) {
      // Numbers have no gaps. A gap means that old rows were removed meanwhile, a lower head that the database was put
      // back to an earlier state: in both cases nobody can say what was missed.
      tell(null);
      return page.changes.at(-1)?.number ?? page.head;
    }
    for (const { change } of page.changes) tell(change);
    return asked + page.changes.length;
  }

  async function catchUp(): Promise<void> {
    for (;;) {
      const beganAtMs = clock.monotonic();
      if (lastNumber === null) {
        lastNumber = await feed.head();
        tell(null);
        seenUpToMs = beganAtMs;
        return;
      }
      const asked = lastNumber;
      const page = await feed.since(asked);
      const toldUpTo = apply(page, asked);
      // A push may have come further meanwhile, unless the database went back.
      lastNumber = page.head < asked ? toldUpTo : Math.max(lastNumber, toldUpTo);
      if (lastNumber < page.head) continue;
      seenUpToMs = beganAtMs;
      return;
    }
  }

  return {
    vouchesFor(heldAtMs) {
      const nowMs = clock.monotonic();
      if (nowMs - heldAtMs <= authorityLimitMs) return true;
      return seenUpToMs !== null && nowMs - seenUpToMs <= authorityLimitMs;
    },
    pull() {
      pulling ??= catchUp().finally(() => {
        pulling = null;
      });
      return pulling;
    },
    onChange: (listener) => void listeners.push(listener),
    ageMs: () => (seenUpToMs === null ? null : clock.monotonic() - seenUpToMs),
    stop: unsubscribe,
  };
}
