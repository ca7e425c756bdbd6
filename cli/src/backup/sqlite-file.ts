import { resolve } from 'node:path';
import { databaseVariables, readConfig } from '@latchkey/shared/config';
import type { HeldRows } from '@latchkey/shared/db/files';
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

/** Clocks may differ by 10 s, and a line of the log is written when its request ends. */
const marginMs = 60_000;
const names: Readonly<Record<string, string>> = {
  contents: 'contents',
  api_keys: 'API keys',
  leases: 'leases',
  marks: 'marks',
  revocations: 'revocations by viewer or content',
  audit: 'rows of the audit',
};

/** Describes the content of a database file, one line for each fact. */
export function describeRows({ rows, version, lastAt, masterKeys }: HeldRows): string {
  const counts = Object.entries(rows).map(
    ([table, count]) => `${count.toLocaleString('en')} ${names[table] ?? table}`,
  );
  const keys = masterKeys.map((key) => `version ${key.version} (fingerprint ${key.fingerprint})`);
  return [
    `It holds ${counts.join(', ')}.`,
    `It has the schema of ${version}. Its last change: ${lastAt === null ? 'none' : new Date(lastAt).toISOString()}.`,
    keys.length === 0
      ? 'No master key was used with it yet.'
      : `Its content keys need the master key of ${keys.join(', ')}. No secret is in it: keep them too.`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * From when on the log has to be searched for revocations that a file does not hold. Some that it holds are found again, which
 * is harmless.
 */
export function missingSince({ lastAt }: Pick<HeldRows, 'lastAt'>): string {
  return new Date(Math.max(0, (lastAt ?? 0) - marginMs)).toISOString();
}
