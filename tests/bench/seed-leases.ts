import type { Database } from '@latchkey/shared/db';
import { sql } from 'kysely';
import { analyze, literal, numbers } from './generated-rows.ts';
import { leaseSql, type Population } from './population.ts';

/** Keeps each statement well within its time limit. */
const rowsPerStatement = 20_000;
/** Longer than a measurement can take. */
const leaseLifeMs = 4 * 3_600_000;
/** Leases were created at even distances over this time. */
const createdWithinMs = 3_600_000;

/** Writes contents and active leases straight into their tables, on either database. */
export async function seedLeases(
  db: Database,
  population: Population,
  nowMs: number,
  say: (line: string) => void,
): Promise<void> {
  const { leases, contents } = population;
  const startedAtMs = performance.now();
  await insertContents(db, contents, nowMs);
  for (let from = 0; from < leases; from += rowsPerStatement) {
    await insertLeases(db, population, from, Math.min(leases, from + rowsPerStatement), nowMs);
    if (from % (rowsPerStatement * 10) === 0)
      say(`${from.toLocaleString('en')} of ${leases.toLocaleString('en')} leases are written`);
  }
  say(`they took ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`);
  await analyze(db);
}

async function insertContents(db: Database, contents: number, nowMs: number): Promise<void> {
  await sql`
    insert into contents (id, name, status, key_version, metadata, search_text, created_at, updated_at)
    ${numbers(0, contents)}
    select 'film-' || n, 'Film ' || n, 'active', 1, '{}', 'film ' || n, ${literal(nowMs)}, ${literal(nowMs)} from numbers
  `.execute(db);
}

async function insertLeases(
  db: Database,
  population: Population,
  from: number,
  to: number,
  nowMs: number,
): Promise<void> {
  const text = leaseSql(population);
  const firstMs = nowMs - createdWithinMs;
  const createdAt = sql.raw(`${firstMs} + n * ${createdWithinMs} / ${population.leases}`);
  await sql`
    insert into leases (id, viewer_id, content_id, created_at, expires_at)
    ${numbers(from, to)}
    select ${sql.raw(text.leaseId)}, ${sql.raw(text.viewerId)}, ${sql.raw(text.contentId)},
      ${createdAt}, ${literal(nowMs + leaseLifeMs)} from numbers
  `.execute(db);
}
