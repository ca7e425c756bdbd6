import type { SingleNodeValues } from '@latchkey/shared/config';
import { cleanAudit, type Database, migrate, openDatabase } from '@latchkey/shared/db';
import type { OperatorLog } from '@latchkey/shared/log';

/**
 * Migrates the database, unless `MIGRATE_ON_START` is off.
 *
 * @throws the error of the migration that failed
 */
export async function migrateOnStart(
  db: Database,
  {
    migrateOnStart,
    databaseUrl,
    sqlitePath,
  }: Pick<SingleNodeValues, 'migrateOnStart' | 'databaseUrl' | 'sqlitePath'>,
  log: OperatorLog,
): Promise<void> {
  if (!migrateOnStart) return;
  // Statements of requests have a time limit that a migration of many rows would exceed. SQLite has no such limit.
  const patient = databaseUrl
    ? openDatabase({ databaseUrl: databaseUrl.reveal(), sqlitePath, longStatements: true })
    : db;
  try {
    const applied = await migrate(patient);
    if (applied.length > 0) log.info(`the database was migrated: ${applied.join(', ')}`);
    await cleanAuditOnStart(patient, log);
  } finally {
    if (patient !== db) await patient.destroy();
  }
}

/** If the database accepts no writes, the server still starts and serves keys. The next start continues. */
async function cleanAuditOnStart(db: Database, log: OperatorLog): Promise<void> {
  try {
    const cleaned = await cleanAudit(db);
    if (cleaned > 0)
      log.info(`removed the credentials that callers had put into ids from ${cleaned} rows of the audit`);
  } catch (error) {
    log.warn(
      'credentials that callers had put into ids could not be removed from the audit; the next start tries again',
      {
        error,
      },
    );
  }
}
