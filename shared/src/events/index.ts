export { appendChange, purgeChanges } from './append-change.ts';
export { type Bus, createInProcessBus } from './bus.ts';
export { type Change, parseChange } from './change.ts';
export {
  type ChangeFeed,
  createDatabaseFeed,
  FeedHeadSchema,
  type FeedPage,
  FeedPageSchema,
  type FeedRow,
} from './change-feed.ts';
export { createFeedFollower, type FeedFollower, type FeedFollowerOptions } from './feed-follower.ts';
export { authorityLimitMs, type FeedPosition, pullIntervalMs } from './feed-position.ts';
export { createFeedProgress, type FeedProgress, type FeedReading } from './feed-progress.ts';
export type { FeedRecord } from './feed-record.ts';
export { createLedger, type Ledger, type LedgerEntry } from './ledger.ts';
export { type BusMessage, type FeedLink, type Notice, parseBusMessage } from './message.ts';
export { createNatsBus, type NatsBus, type NatsBusOptions } from './nats-bus.ts';
