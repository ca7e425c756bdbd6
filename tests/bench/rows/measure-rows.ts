import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, isPostgres, migrate, openDatabase } from '@latchkey/shared/db';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { sql } from 'kysely';
import { createCleanup } from '../cleanup.ts';
import type { DatabaseName } from '../revocation/measure-revocation.ts';
import { seedApiKeys } from '../seed-api-keys.ts';
import { seedLeases } from '../seed-leases.ts';

/** Bytes of the database, indexes included, for each row. */
export interface RowSizes {
  readonly database: DatabaseName;
  readonly emptyBytes: number;
  readonly bytesOf: Readonly<Record<'lease' | 'content' | 'API key', number>>;
}

/** The same number of each, so that whole pages of a table and its indexes weigh little. */
const rows = 100_000;

/**
 * How much a database grows for each row. The rows have ids as long as real ones: UUIDs of leases, short ids of viewers and contents.
 *
 * @throws Error if Postgres is not installed
 */
export async function measureRows(
  database: DatabaseName,
  leases: number,
  say: (line: string) => void,
): Promise<RowSizes> {
  const cleanup = createCleanup();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-rows-'));
    cleanup.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    const postgres = database === 'Postgres' ? cleanup.add(await startOwnPostgres()) : null;
    const db = openDatabase({
      databaseUrl: postgres?.url,
      sqlitePath: join(folder, 'latchkey.db'),
      longStatements: true,
    });
    cleanup.add({ stop: () => db.destroy() });
    await migrate(db);
    const emptyBytes = await sizeOf(db);
    await seedApiKeys(db, rows, Date.now());
    const withKeys = await sizeOf(db);
    // Every lease needs a content; so few leases weigh nothing beside the contents.
    await seedLeases(db, { leases: 2, contents: rows }, Date.now(), () => {});
    const withContents = await sizeOf(db);
    await sql`delete from leases`.execute(db);
    await sql`delete from contents`.execute(db);
    const before = await sizeOf(db);
    say(`${database}: ${leases.toLocaleString('en')} leases are written`);
    await seedLeases(db, { leases, contents: 2 }, Date.now(), say);
    const bytesOf = {
      lease: ((await sizeOf(db)) - before) / leases,
      content: (withContents - withKeys) / rows,
      'API key': (withKeys - emptyBytes) / rows,
    };
    return { database, emptyBytes, bytesOf };
  } finally {
    await cleanup.run();
  }
}

/** Bytes in use: pages of the file that hold something, or the tables and indexes of this schema. */
async function sizeOf(db: Database): Promise<number> {
  const query = isPostgres(db)
    ? sql<{ bytes: number }>`select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relkind = 'r'`
    : sql<{ bytes: number }>`select (p.page_count - f.freelist_count) * s.page_size as bytes
        from pragma_page_count() p, pragma_freelist_count() f, pragma_page_size() s`;
  const { rows: found } = await query.execute(db);
  return Number(found[0]?.bytes);
}
