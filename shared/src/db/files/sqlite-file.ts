import SqliteDatabase from 'better-sqlite3';
import { refuseUnreleased, UnreleasedSchema } from '../unreleased-schema.ts';

/** The file is damaged, or holds something else than this version's rows. */
export class UnusableFile extends Error {}

/** Whether SQLite refused a file by its content. */
function isUnreadable(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

/** @returns what to throw for an error of SQLite, or for rows that this version does not use */
export function explainFile(error: unknown): unknown {
  if (error instanceof UnreleasedSchema) return new UnusableFile(error.message, { cause: error });
  if (!isUnreadable(error)) return error;
  const { code } = error as { code?: string };
  const detail = code === 'SQLITE_NOTADB' ? 'it is no SQLite database' : 'it is damaged';
  return new UnusableFile(detail, { cause: error });
}

/** Another process has the file open. */
export class FileInUse extends Error {}

/**
 * Takes a SQLite file for this process alone. A server that has the file open always holds a lock on it, so this fails while one
 * runs. It also copies the write-ahead log into the file, which is complete by itself from then on.
 *
 * @returns lets go of the file; null if it is too damaged to be taken, so that no server can run on it
 * @throws FileInUse
 */
export function holdSqlite(path: string): (() => void) | null {
  const file = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });
  try {
    // Refused while any other connection is open (sqlite.org/wal.html).
    file.pragma('journal_mode = DELETE');
    file.pragma('locking_mode = EXCLUSIVE');
    file.exec('begin exclusive');
    return () => void file.close();
  } catch (error) {
    file.close();
    const { code = '' } = error as { code?: string };
    if (code.startsWith('SQLITE_BUSY')) throw new FileInUse('another process has it open', { cause: error });
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** The tables whose rows an operator knows, in the order in which they are shown. */
const shownTables = ['contents', 'api_keys', 'leases', 'marks', 'revocations', 'audit'] as const;

/** A summary of a SQLite file of Latchkey. */
export type HeldRows = ReturnType<typeof inspect>;

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

function inspect(file: SqliteDatabase.Database) {
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
    /** Number of rows by table. */
    rows: Object.fromEntries(shownTables.map((name) => [name, read<number>(`select count(*) from ${name}`)])),
    /** The last migration. */
    version: applied.at(-1) ?? '',
    /** Milliseconds since 1970: when the last change of authority or row of the audit was written; null without any. */
    lastAt: read<number | null>(
      'select max(at) from (select max(at) as at from changes union all select max(at) from audit)',
    ),
    /** Each version of the master key that its contents need, with the fingerprint of the key. */
    masterKeys: file.prepare('select version, fingerprint from key_versions order by version').all() as {
      version: number;
      fingerprint: string;
    }[],
  };
}
