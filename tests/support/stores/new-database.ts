import { randomBytes } from 'node:crypto';
import { describeDatabaseRoles } from '../stack/database-roles.ts';
import { runSql } from './run-sql.ts';

/** A database that one server has to itself. */
export interface NewDatabase {
  url: string;
  /** Also the prefix of the roles of its services. */
  name: string;
  /** Drops it, with its remaining sessions and the roles of its services. */
  drop(): Promise<void>;
}

/** @param postgres URL of a server, as a role that may create databases and roles */
export async function makeDatabase(postgres: string): Promise<NewDatabase> {
  const name = `latchkey_${randomBytes(6).toString('hex')}`;
  const url = new URL(postgres);
  url.pathname = `/${name}`;
  await runSql(postgres, `create database ${name} template template0`);
  const { removal } = describeDatabaseRoles(url.toString(), name);
  return {
    url: url.toString(),
    name,
    async drop() {
      await runSql(postgres, `drop database if exists ${name} with (force)`, ...removal);
    },
  };
}
