import { existsSync } from 'node:fs';
import { databaseVariables, readConfig } from '@latchkey/shared/config';
import {
  type Database,
  nameDatabase,
  openDatabase,
  openPostgresOptions,
  readMigrationState,
} from '@latchkey/shared/db';
import { AppError, type ErrorCode } from '@latchkey/shared/errors';
import type { Variables } from './keys/variables.ts';
import { refusal } from './refusal.ts';

type DatabaseValues = ReturnType<typeof readConfig<typeof databaseVariables>>['values'];

/** Opens the database that the values name. */
export function openNamed(values: DatabaseValues, longStatements = false): Database {
  // A command ends before its files for TLS change.
  const postgres = openPostgresOptions(values, { now: Date.now, onFault: () => {} });
  const { databaseUrl, sqlitePath } = values;
  return openDatabase({ ...postgres, databaseUrl: databaseUrl?.reveal(), sqlitePath, longStatements });
}

interface DatabaseChoice {
  /** Whether a missing SQLite file may be made, and the schema be older than this code needs. */
  mayCreate: boolean;
  /** Whether a statement may take as long as it needs. */
  longStatements?: boolean;
}

/**
 * Opens the database that `DATABASE_URL` or `SQLITE_PATH` names, as the server would, and closes it after the work.
 *
 * @throws ConfigError for a variable that cannot be used; AppError if the file is missing, if its schema is too old or was never released, or if the system
 *   refuses access to it
 */
export async function withDatabase<T>(
  env: Variables,
  { mayCreate, longStatements = false }: DatabaseChoice,
  work: (db: Database, name: string) => Promise<T>,
): Promise<T> {
  const { values } = readConfig(databaseVariables, env);
  const { databaseUrl, sqlitePath } = values;
  if (!databaseUrl && !mayCreate && !existsSync(sqlitePath)) {
    throw refusal(
      `there is no database at ${sqlitePath}; SQLITE_PATH names the file, or DATABASE_URL a Postgres`,
    );
  }
  const db = await explaining(env, 'VALIDATION_FAILED', async () => openNamed(values, longStatements));
  try {
    return await explaining(env, 'INTERNAL', async () => {
      const name = nameDatabase(values);
      if (!mayCreate && (await readMigrationState(db)).missing.length > 0)
        throw refusal(`${name} is not up to date; run latchkey migrate first`);
      return work(db, name);
    });
  } finally {
    await db.destroy();
  }
}

/** Explains a refused file as the server does at its start. @param code of the error if SQLITE_PATH caused it */
async function explaining<T>(env: Variables, code: ErrorCode, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    // Imported only now, since it loads most of the server.
    const { explainRefusal } = await import('@latchkey/shared/process');
    const detail = explainRefusal(cause, env);
    throw detail === undefined ? cause : new AppError(code, { detail, cause });
  }
}
