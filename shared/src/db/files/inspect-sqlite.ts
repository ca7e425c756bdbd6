import SqliteDatabase from 'better-sqlite3';
import { refuseUnreleased } from '../unreleased-schema.ts';
import { explainFile, UnusableFile } from './unusable-file.ts';

/** The tables whose rows an operator knows, in the order in which they are shown. */
const shownTables = ['contents', 'api_keys', 'leases', 'marks', 'revocations', 'audit'] as const;

/** A summary of a SQLite file of Latchkey. */
export interface HeldRows {
  /** Number of rows by table. */
  rows: Readonly<Record<string, number>>;
  /** The last migration. */
  version: string;
  /** Milliseconds since 1970: when the last change of authority or row of the audit was written; null without any. */
  lastAt: number | null;
  /** Each version of the master key that its contents need, with the fingerprint of the key. */
  masterKeys: readonly { version: number; fingerprint: string }[];
}

/**
 * Checks every page and index of a file that no process uses, and reports its rows. Afterwards the file is complete without a
 * write-ahead log next to it.
 *
 * @throws UnusableFile
 */
export function settleSqlite(path: string): HeldRows {
  const file = open(path);
  try {
    file.pragma('journal_mode = DELETE');
    return inspect(file);
  } catch (error) {
    throw explainFile(error);
  } finally {
    file.close();
  }
}

/** Gives the change feed another history, so that every process that followed it drops what it knows (`renewFeedHistory`). */
export function renewHistory(path: string, history: string): void {
  const file = open(path);
  try {
    file.prepare('update change_counter set history = ? where id = 1').run(history);
  } finally {
    file.close();
  }
}

function open(path: string): SqliteDatabase.Database {
  return new SqliteDatabase(path, { fileMustExist: true });
}

function inspect(file: SqliteDatabase.Database): HeldRows {
  const faults = file.pragma('integrity_check(10)', { simple: false }) as { integrity_check: string }[];
  const [first] = faults;
  if (first?.integrity_check !== 'ok')
    throw new UnusableFile(`it is damaged: ${faults.map(({ integrity_check: fault }) => fault).join('; ')}`);
  const tables = new Set(file.prepare("select name from sqlite_schema where type = 'table'").pluck().all());
  if (!tables.has('change_counter') || !tables.has('kysely_migration'))
    throw new UnusableFile('it is no database of Latchkey');
  const applied = file.prepare('select name from kysely_migration order by name').pluck().all() as string[];
  refuseUnreleased(applied);
  const read = <T>(sql: string) => file.prepare(sql).pluck().get() as T;
  return {
    rows: Object.fromEntries(shownTables.map((name) => [name, read<number>(`select count(*) from ${name}`)])),
    version: applied.at(-1) ?? '',
    lastAt: read(
      'select max(at) from (select max(at) as at from changes union all select max(at) from audit)',
    ),
    masterKeys: file
      .prepare('select version, fingerprint from key_versions order by version')
      .all() as unknown as HeldRows['masterKeys'],
  };
}
