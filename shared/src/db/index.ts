export { type Cursor, decodeCursor, encodeCursor } from './cursor.ts';
export { isDatabaseUnavailable } from './database-fault.ts';
export { makeFolder } from './make-folder.ts';
export { type KnownSchema, type MigrationState, migrate, readMigrationState } from './migrate.ts';
export { type DatabasePlace, nameDatabase } from './name-database.ts';
export { type Database, type DatabaseOptions, openDatabase, type Transaction } from './open.ts';
export { probeDatabase } from './probe.ts';
export type * from './schema.ts';
export { inTransaction, lockSubject } from './transaction.ts';
