import type { SingleNodeValues } from '@latchkey/shared/config';
import { cleanAudit, type Database, migrate, openDatabase } from '@latchkey/shared/db';
import type { OperatorLog } from '@latchkey/shared/log';

/**
 * Brings the database up to date, unless the operator does that himself.
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
  // The statements of a request have a time limit, which on many rows a migration would not keep. SQLite has none.
  const patient = databaseUrl
    ? openDatabase({ databaseUrl: databaseUrl.reveal(), sqlitePath, longStatements: true })
    : db;
  try {
    const applied = await migrate(patient);
    if (applied.length > 0) log.info(`the database was brought up to date: ${applied.join(', ')}`);
    await cleanAuditOnStart(patient, log);
  } finally {
    if (patient !== db) await patient.destroy();
  }
}

/** A database that takes no writes is no reason not to start: keys can be served, and the next start goes on. */
async function cleanAuditOnStart(db: Database, log: OperatorLog): Promise<void> {
  try {
    const cleaned = await cleanAudit(db);
    if (cleaned > 0)
      log.info(`credentials that callers had put into ids are now hidden in ${cleaned} rows of the audit`);
  } catch (error) {
    log.warn(
      'the audit could not be cleaned of credentials that callers had put into ids; the next start goes on',
      {
        error,
      },
    );
  }
}
