import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate, openDatabase } from '../db/index.ts';

/** A Postgres database for one test. */
export interface OwnPostgres {
  databaseUrl: string;
  name: string;
  /** A connection to the server, not to this database. */
  admin: pg.Client;
  /** Sets a parameter for each new session of the database, such as `synchronous_commit = off`. */
  set(...settings: string[]): Promise<void>;
  /** Drops the database, with its remaining sessions. */
  close(): Promise<void>;
}

/**
 * @param url of a server, as a role that may create databases
 * @param isMigrated whether the database has the schema; without it, it is empty
 */
export async function createOwnPostgres(url: string, isMigrated = false): Promise<OwnPostgres> {
  const name = `own_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client(url);
  await admin.connect();
  const template = isMigrated ? await provideTemplate(admin, url) : 'template0';
  await admin.query(`create database ${name} template ${template}`);
  return {
    databaseUrl: urlOf(url, name),
    name,
    admin,
    async set(...settings) {
      for (const setting of settings) await admin.query(`alter database ${name} set ${setting}`);
    },
    async close() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

function urlOf(url: string, name: string): string {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.toString();
}

/**
 * A migrated database, whose copies take a tenth of the time of the migrations. The first test on a server makes it, and
 * all processes share it. It stays: another schema has another name.
 */
async function provideTemplate(admin: pg.Client, url: string): Promise<string> {
  const name = `migrated_${digestSchema()}`;
  const exists = async () =>
    (await admin.query('select 1 from pg_database where datname = $1', [name])).rowCount === 1;
  if (await exists()) return name;
  await admin.query('select pg_advisory_lock(1)');
  if (!(await exists())) {
    // Renamed once it is whole: an interrupted run leaves a part.
    await admin.query(`drop database if exists ${name}_part with (force)`);
    await admin.query(`create database ${name}_part template template0`);
    const databaseUrl = urlOf(url, `${name}_part`);
    const db = openDatabase({
      databaseUrl,
      sqlitePath: '',
      longStatements: true,
      connectionTimeoutMs: 60_000,
    });
    await migrate(db);
    await db.destroy();
    await admin.query(`alter database ${name}_part rename to ${name}`);
  }
  await admin.query('select pg_advisory_unlock(1)');
  return name;
}

/** Of the code that makes the schema. */
function digestSchema(): string {
  const folder = join(import.meta.dirname, '../db');
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) hash.update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest('hex').slice(0, 16);
}
