import SqliteDatabase from 'better-sqlite3';
import { isUnreadable } from './unusable-file.ts';

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
