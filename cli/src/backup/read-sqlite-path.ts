import { resolve } from 'node:path';
import { databaseVariables, readConfig } from '@latchkey/shared/config';
import type { Variables } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';

/**
 * The SQLite file that the environment names.
 *
 * @param command for the message
 * @throws AppError VALIDATION_FAILED for a Postgres, which has its own tools; ConfigError
 */
export function readSqlitePath(env: Variables, command: 'backup' | 'restore'): string {
  const { values } = readConfig(databaseVariables, env);
  if (values.databaseUrl) {
    const tool = command === 'backup' ? 'pg_dump' : 'pg_restore, then latchkey migrate';
    throw refusal(`DATABASE_URL names a Postgres. Use ${tool}: docs/operate/backup.md shows how`);
  }
  if (values.sqlitePath === ':memory:')
    throw refusal('SQLITE_PATH is ":memory:", which ends with its process. Accepted: the path of a file');
  return resolve(values.sqlitePath);
}
