export { fillLists } from './fill-lists.ts';
export { createLeaseState } from './lease-state.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { type AllowedScan, findUnboundedScans, planQueries } from './query-plans.ts';
export { serveBehindGate, serveInternalRoutes } from './serve-internal-routes.ts';
export { type DatabaseKind, databaseKinds, type TestDatabase } from './test-database.ts';
export { createTestHost, type TestHost, testTokenSecret } from './test-host.ts';
