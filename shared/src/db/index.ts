export { countUpTo } from './count-up-to.ts';
export { type Cursor, encodeCursor } from './cursor.ts';
export { isDatabaseUnavailable, throwDatabaseFault } from './database-fault.ts';
export { describeFileRefusal, findFilesOpenToAll } from './file-access.ts';
export { anyId, blockRow, findMarkState, markRow, toMarkState } from './find-mark-state.ts';
export { createGroupWriter, type Fate, type GroupWriter } from './group-writer.ts';
export { isPostgres } from './is-postgres.ts';
export { keepQuery } from './keep-query.ts';
export { makeFolder } from './make-folder.ts';
export { type KnownSchema, type MigrationState, migrate, readMigrationState } from './migrate.ts';
export { lastCharacter, type NamedBy, namedBy } from './named-by.ts';
export { type Database, type DatabasePlace, nameDatabase, openDatabase, type Transaction } from './open.ts';
export { getAsideWriter, runPaced } from './paced-work.ts';
export type { PoolUsage } from './postgres-pool.ts';
export { DatabaseIsStandby, readOverriddenSettings } from './postgres-session.ts';
export { openPostgresOptions } from './postgres-tls.ts';
export { clockStepMessage, createPurgeClock } from './purge-clock.ts';
export { hasReadAside, readAside } from './read-aside.ts';
export { readDatabaseSize } from './read-database-size.ts';
export { type DiskSpace, readDiskSpace } from './read-disk-space.ts';
export { renewFeedHistory } from './renew-feed-history.ts';
export {
  type CreatedRole,
  createServiceRoles,
  mayRead,
  mayReadEveryTable,
  rightsOf,
  rowServices,
  type ServiceDatabase,
  type ServiceSchema,
  type ServiceTransaction,
} from './roles/index.ts';
export { rowList } from './row-list.ts';
export type * from './schema.ts';
export {
  inTransaction,
  inUnsyncedTransaction,
  lockSubject,
  type SubjectLock,
  tryLockSubject,
  tryLockSubjects,
} from './transaction.ts';
export { UnreleasedSchema } from './unreleased-schema.ts';
export type { WebhookDeliveryTable, WebhookTable } from './webhook-tables.ts';
