import { open, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { databaseVariables, readConfig } from '@latchkey/shared/config';
import { copySqlite, type HeldRows, settleSqlite, UnusableFile } from '@latchkey/shared/db/files';
import type { Variables } from '../keys/variables.ts';
import { failure, refusal, refuseExisting } from '../refusal.ts';
import { partialPathOf } from '../write-file.ts';

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

/** Who watches what is in these files, so only their owner reads them. */
const fileMode = 0o600;

interface CopyOptions {
  readonly from: string;
  /** The final name. */
  readonly to: string;
  readonly signal: AbortSignal;
  /** Completes a sentence that begins with `from`. @param fault why the file cannot be used */
  readonly explain: (fault: string) => string;
}

/**
 * Copies a SQLite file to a temporary name next to the final one, and checks the copy. Without success nothing is left of it.
 *
 * @param place puts the copy on the disk, and moves it to its final name
 * @returns the rows of the copy, and what `place` returned
 * @throws AppError VALIDATION_FAILED if another run writes the copy, or was killed while it did; INTERNAL for a file that cannot be used
 */
export async function placeCopy<T>(
  { from, to, signal, explain }: CopyOptions,
  place: (path: string) => Promise<T>,
): Promise<{ held: HeldRows; placed: T }> {
  const path = partialPathOf(to);
  const exists = `another run is writing ${path}, or was killed. Remove that file if no other run is left`;
  await writeFile(path, '', { flag: 'wx', mode: fileMode }).catch(refuseExisting(exists));
  try {
    await copySqlite({ from, to: path, signal });
    const held = settleSqlite(path);
    const placed = await place(path);
    await sync(dirname(path));
    return { held, placed };
  } catch (error) {
    if (error instanceof UnusableFile) throw failure(`${from} ${explain(error.message)}`, error);
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

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
