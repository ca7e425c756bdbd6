export type { WaitUntilApplied } from './applied-everywhere.ts';
export { AppliedWaits, type AwaitedPlace, unlisted } from './applied-waits.ts';
export { type Bus, createInProcessBus } from './bus.ts';
export { type Change, parseChange } from './change.ts';
export {
  type ChangeFeed,
  FeedHeadSchema,
  type FeedPage,
  FeedPageSchema,
  type FeedRow,
  type FollowerReport,
  FollowerReportSchema,
} from './change-feed.ts';
export { createFeedFollower, type FeedFollower } from './feed-follower.ts';
export { authorityLimitMs, type FeedRecord, listedForMs, pullIntervalMs } from './feed-position.ts';
export { createFeedProgress, type FeedProgress, type FeedReading } from './feed-progress.ts';
export type { Ledger, LedgerEntry } from './ledger.ts';
export type { BusMessage, FeedLink, Notice } from './message.ts';
