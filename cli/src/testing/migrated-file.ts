import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, openDatabase } from '@latchkey/shared/db';
import { temporaryFolder } from './temporary-folder.ts';

/** Makes migrated SQLite files for the tests of one file. All but the first are copies: the migrations take longer than a command. */
export function createFileMaker(): () => Promise<{ folder: string; path: string }> {
  let migrated: Promise<Buffer> | undefined;
  return async () => {
    migrated ??= migrateOne();
    const folder = temporaryFolder();
    const path = join(folder, 'latchkey.db');
    writeFileSync(path, await migrated);
    return { folder, path };
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
