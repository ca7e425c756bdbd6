import { provideStores } from '@latchkey/rig/stores/provide-stores';
import { type Database, openDatabase } from '@latchkey/shared/db';
import { sql } from 'kysely';

/** What the distributed profile stands on, with a database that is this run's own. */
export interface Backings {
  /** DATABASE_URL, REDIS_URL, NATS_URL. */
  env: Record<'DATABASE_URL' | 'REDIS_URL' | 'NATS_URL', string>;
  db: Database;
  stop(): Promise<void>;
}

/**
 * Postgres, Redis and NATS as the tests get them: by their variables, from containers, or from this machine.
 *
 * @throws Error where one of them cannot be had
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
