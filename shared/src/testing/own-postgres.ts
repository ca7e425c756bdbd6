import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Database, migrate, openDatabase } from '../db/index.ts';

/** A Postgres database for one test. */
export interface OwnPostgres {
  databaseUrl: string;
  name: string;
  /** A connection to the server, not to this database. */
  admin: pg.Client;
  /** Opens the database. The caller ends it. Tests do not check how soon Postgres answers, so a connection has a minute. */
  open(options?: Partial<Parameters<typeof openDatabase>[0]>): Database;
  /** Sets a parameter for each new session of the database, such as `synchronous_commit = off`. */
  set(...settings: string[]): Promise<void>;
  /** Drops the database, with its remaining sessions. */
  close(): Promise<void>;
}

/**
 * @param url of a server, as a role that may create databases
 * @param template the database that it is a copy of: `TEST_POSTGRES_TEMPLATE` has the schema, the default is empty
 */
export async function createOwnPostgres(url: string, template = 'template0'): Promise<OwnPostgres> {
  const name = `own_${randomUUID().replaceAll('-', '')}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query(`create database ${name} template ${template}`);
  return {
    databaseUrl: own.toString(),
    name,
    admin,
    open: (options) =>
      openDatabase({ databaseUrl: own.toString(), sqlitePath: '', connectionTimeoutMs: 60_000, ...options }),
    async set(...settings) {
      for (const setting of settings) await admin.query(`alter database ${name} set ${setting}`);
    },
    async close() {
      await backendsEnded(admin, name);
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** A backend ends a moment after its client has left. If it is still there, dropping its database takes 100 ms more. */
async function backendsEnded(admin: pg.Client, name: string): Promise<void> {
  const query = 'select 1 from pg_stat_activity where datname = $1';
  // A test may leave a connection behind, which the drop ends.
  for (let tries = 0; tries < 20; tries++) if ((await admin.query(query, [name])).rowCount === 0) return;
}

/** Makes a migrated and empty database. Copying it takes a tenth of the time of the migrations. */
export async function makePostgresTemplate(url: string): Promise<OwnPostgres> {
  const template = await createOwnPostgres(url);
  const db = template.open({ longStatements: true });
  await migrate(db);
  await db.destroy();
  return template;
}
