import { existsSync } from 'node:fs';
import { databaseVariables, readConfig } from '@latchkey/shared/config';
import { type Database, openDatabase } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import type { Variables } from '../keys/read-variable.ts';

export interface DatabaseChoice {
  /** Whether a SQLite file that is not there may be made. */
  mayCreate: boolean;
  /** Whether a statement may take as long as it needs. */
  longStatements?: boolean;
}

/**
 * Opens the database that `DATABASE_URL` or `SQLITE_PATH` names, as the server would, and closes it after the work.
 *
 * @throws ConfigError for a variable that cannot be used, AppError where there is no such file
 */
export async function withDatabase<T>(
  env: Variables,
  { mayCreate, longStatements = false }: DatabaseChoice,
  work: (db: Database, name: string) => Promise<T>,
): Promise<T> {
  const { values } = readConfig(databaseVariables, env);
  const databaseUrl = values.databaseUrl?.reveal();
  const { sqlitePath } = values;
  if (!databaseUrl && !mayCreate && !existsSync(sqlitePath)) {
    throw new AppError('VALIDATION_FAILED', {
      detail: `there is no database at ${sqlitePath}; SQLITE_PATH names the file, or DATABASE_URL a Postgres`,
    });
  }
  const db = openDatabase({ databaseUrl, sqlitePath, longStatements });
  try {
    return await work(db, databaseUrl ? 'Postgres' : sqlitePath);
  } finally {
    await db.destroy();
  }
}
