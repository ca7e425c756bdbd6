import { existsSync } from 'node:fs';
import { databaseVariables, readConfig } from '@latchkey/shared/config';
import { type Database, nameDatabase, openDatabase } from '@latchkey/shared/db';
import { AppError, type ErrorCode } from '@latchkey/shared/errors';
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
 * @throws ConfigError for a variable that cannot be used; AppError where there is no such file, or where the file is to
 *   blame for what the system refuses
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
  const db = await explaining(env, 'VALIDATION_FAILED', async () =>
    openDatabase({ databaseUrl, sqlitePath, longStatements }),
  );
  try {
    return await explaining(env, 'INTERNAL', () => work(db, nameDatabase(values)));
  } finally {
    await db.destroy();
  }
}

/** Says it as the server does at its start. @param code of the error where SQLITE_PATH is behind what is refused */
async function explaining<T>(env: Variables, code: ErrorCode, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    // Only then: it loads what every process of the server is made of.
    const { explainRefusal } = await import('@latchkey/shared/process');
    const detail = explainRefusal(cause, env);
    throw detail === undefined ? cause : new AppError(code, { detail, cause });
  }
}
