import type { SingleNodeValues } from '@latchkey/shared/config';
import { type Database, migrate, openDatabase } from '@latchkey/shared/db';
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
  } finally {
    if (patient !== db) await patient.destroy();
  }
}
