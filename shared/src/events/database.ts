// The parts of this folder that need the database. Key-derivation has none, and its image carries no driver.
export { appliedAtOnce, createAppliedEverywhere } from './applied-everywhere.ts';
export { createDatabaseFeed, purgeChanges } from './database-feed.ts';
export { createListedFeed, type FeedRoster } from './feed-roster.ts';
export { createLedger } from './ledger.ts';
