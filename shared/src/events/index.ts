export { type Bus, createInProcessBus } from './bus.ts';
export { type Change, parseChange } from './change.ts';
export { type ChangeFeed, createDatabaseFeed, type FeedPage, purgeChanges } from './change-feed.ts';
export { createFeedFollower, type FeedFollower, type FeedFollowerOptions } from './feed-follower.ts';
export { authorityLimitMs, type FeedPosition } from './feed-position.ts';
export { createFeedProgress, type FeedProgress, type FeedReading } from './feed-progress.ts';
export { createLedger, type Ledger, type LedgerEntry } from './ledger.ts';
export { type BusMessage, type Notice, parseBusMessage } from './message.ts';
