import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { type Database, migrate, openDatabase } from '../db/index.ts';
import { makeTestFolder } from './test-folder.ts';

let template: Promise<Buffer> | undefined;

/** Opens a migrated SQLite file until the end of the test. It is a copy: the migrations of a file wait for the disk for a second. */
export async function openSqliteFile(): Promise<{ db: Database; path: string }> {
  template ??= makeTemplate();
  const bytes = await template;
  const path = join(makeTestFolder(), 'latchkey.db');
  writeFileSync(path, bytes);
  const db = openDatabase({ sqlitePath: path });
  onTestFinished(() => db.destroy());
  // In service the schema is read first. Kysely closes only a database that was used.
  await sql`select 1`.execute(db);
  return { db, path };
}

async function makeTemplate(): Promise<Buffer> {
  const path = join(makeTestFolder(), 'template.db');
  const db = openDatabase({ sqlitePath: ':memory:' });
  await migrate(db);
  await sql`vacuum into ${path}`.execute(db);
  await db.destroy();
  return readFileSync(path);
}
