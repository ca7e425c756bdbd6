// The parts of this folder that need the database. Key-derivation has none, and its image carries no driver.
export { createDatabaseFeed, purgeChanges } from './database-feed.ts';
export { createLedger } from './ledger.ts';
