import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, openDatabase } from '@latchkey/shared/db';
import { temporaryFolder } from './temporary-folder.ts';

/** Makes migrated SQLite files for the tests of one file. All but the first are copies: the migrations take longer than a command. */
export function createFileMaker() {
  let migrated: Promise<Buffer> | undefined;
  return async () => {
    migrated ??= migrateOne();
    const folder = temporaryFolder();
    const path = join(folder, 'latchkey.db');
    writeFileSync(path, await migrated);
    return { folder, path, env: { SQLITE_PATH: path } };
  };
}

async function migrateOne(): Promise<Buffer> {
  const path = join(temporaryFolder(), 'latchkey.db');
  const db = openDatabase({ sqlitePath: path });
  await migrate(db);
  // The last connection moves the log into the file.
  await db.destroy();
  return readFileSync(path);
}

/**
 * Opens a SQLite file that the code under test may also use, only during `work`. Two libraries with the same file open in one process
 * release each other's locks (sqlite.org/howtocorrupt.html, section 2.2.1).
 */
export function withFile<T>(path: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}

/** Overwrites the first page of a table, which no opening of the file reads. */
export function damageTable(path: string, table: string): void {
  const { page, size } = withFile(path, (file) =>
    file
      .prepare(
        'select rootpage as page, page_size as size from sqlite_schema, pragma_page_size where name = ?',
      )
      .get(table),
  ) as { page: number; size: number };
  writeFileSync(path, readFileSync(path).fill(0x55, (page - 1) * size, page * size));
}
