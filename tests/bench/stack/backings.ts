import { type Database, openDatabase } from '@latchkey/shared/db';
import { provideStores } from '@latchkey/support/stores/provide-stores';
import { sql } from 'kysely';

/** Postgres, Redis and NATS for the distributed profile, with a database of this run alone. */
export interface Backings {
  /** DATABASE_URL, REDIS_URL, NATS_URL. */
  env: Record<'DATABASE_URL' | 'REDIS_URL' | 'NATS_URL', string>;
  db: Database;
  stop(): Promise<void>;
}

/**
 * Finds them as the tests do: by their variables, in containers, or as programs of this machine.
 *
 * @throws Error if one of them is missing
 */
export async function startBackings(): Promise<Backings> {
  const provided = await provideStores(['Postgres', 'Redis', 'NATS']);
  const find = (name: string) => provided.variables[name] ?? process.env[name] ?? '';
  if (provided.missing.length > 0) {
    await provided.stop();
    throw new Error(`This measurement needs ${provided.missing.join(', ')}.`);
  }
  const admin = openDatabase({ databaseUrl: find('TEST_POSTGRES_URL'), sqlitePath: '' });
  const name = `latchkey_bench_${process.pid}`;
  await sql`create database ${sql.id(name)} template template0`.execute(admin);
  const url = new URL(find('TEST_POSTGRES_URL'));
  url.pathname = `/${name}`;
  const db = openDatabase({ databaseUrl: url.toString(), sqlitePath: '' });
  return {
    env: { DATABASE_URL: url.toString(), REDIS_URL: find('TEST_REDIS_URL'), NATS_URL: find('TEST_NATS_URL') },
    db,
    async stop() {
      await db.destroy();
      await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
      await admin.destroy();
      await provided.stop();
    },
  };
}
