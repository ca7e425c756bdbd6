import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** An empty Postgres database for one test. */
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

/** @param url of a server, as a role that may create databases */
export async function createOwnPostgres(url: string): Promise<OwnPostgres> {
  const name = `own_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query(`create database ${name} template template0`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    databaseUrl: own.toString(),
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
