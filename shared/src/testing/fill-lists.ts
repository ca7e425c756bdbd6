import { type RawBuilder, sql } from 'kysely';
import { type Database, isPostgres } from '../db/index.ts';

/** Number of rows for each table. */
export interface ListSizes {
  apiKeys: number;
  contents: number;
  leases: number;
  auditRows: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Of viewers that were revoked within the last hour: more than admins make by hand. */
const marks = 10_000;
/** Viewers that are blocked: more than anybody blocks by hand. */
const blocks = 10_000;

/** A statement writes this many rows of the audit at most: some seconds, after which progress is reported. */
const auditRowsAtOnce = 1_000_000;

/**
 * Fills the tables of the lists in SQL, so that a million rows take seconds. The distribution is unfavourable: half of
 * all leases are for `content-0`, a twentieth is one viewer's, and active rows are newer than ended ones.
 *
 * @param now milliseconds since 1970: rows lie in the day (API keys and contents: in the year) before it
 * @param say receives what is being done, because ten million rows take minutes
 */
export async function fillLists(
  db: Database,
  sizes: ListSizes,
  now: number,
  say: (line: string) => void = () => {},
): Promise<void> {
  const from = (first: number, count: number) => {
    const [start, last] = [sql.lit(first), sql.lit(first + count - 1)];
    return isPostgres(db)
      ? sql`generate_series(cast(${start} as bigint), ${last}) as numbers(n)`
      : sql`(with recursive counted(n) as (select ${start} union all select n + 1 from counted where n < ${last}) select n from counted) as numbers`;
  };
  const series = (count: number) => from(0, count);
  const age = (spanMs: number, count: number) =>
    sql`${sql.lit(now)} - (${sql.lit(count)} - n) * ${sql.lit(Math.max(1, Math.floor(spanMs / count)))}`;
  await db.connection().execute(async (connection) => {
    // On a busy machine, this number of rows may take longer than the server's limit for a statement.
    if (isPostgres(db)) await sql`set statement_timeout = 0`.execute(connection);
    say('API keys, contents, leases, marks and blocks');
    await fillApiKeys(connection, series(sizes.apiKeys), age(365 * dayMs, sizes.apiKeys), now);
    await fillContents(connection, series(sizes.contents), age(365 * dayMs, sizes.contents));
    await fillLeases(connection, series(sizes.leases), age(dayMs, sizes.leases), sizes.leases, now);
    await fillMarks(connection, series(marks), age(hourMs, marks));
    await fillBlocks(connection, series(blocks), age(365 * dayMs, blocks));
    const at = age(30 * dayMs, sizes.auditRows);
    await withoutIndexes(connection, 'audit', sizes.auditRows > auditRowsAtOnce, say, async () => {
      for (let first = 0; first < sizes.auditRows; first += auditRowsAtOnce) {
        say(`audit, from row ${first.toLocaleString('en')}`);
        const count = Math.min(auditRowsAtOnce, sizes.auditRows - first);
        await fillAudit(connection, from(first, count), at);
      }
    });
    say('statistics');
    // Maintenance that the databases otherwise do later: statistics, and on Postgres the map that index-only scans need.
    await sql`${sql.raw(isPostgres(db) ? 'vacuum analyze' : 'analyze')}`.execute(connection);
    if (isPostgres(db)) await sql`reset statement_timeout`.execute(connection);
  });
}

/**
 * Makes the indexes of a table after its rows, if the table has many: sorting ten million entries at once takes a fraction of the time of
 * inserting each in its place.
 */
async function withoutIndexes(
  db: Database,
  table: string,
  isMany: boolean,
  say: (line: string) => void,
  fill: () => Promise<void>,
): Promise<void> {
  if (!isMany) return fill();
  const { rows: indexes } = isPostgres(db)
    ? await sql<{
        name: string;
        definition: string;
      }>`select indexname as name, indexdef as definition from pg_indexes
        where tablename = ${table} and schemaname = current_schema() and indexname not like '%_pkey'`.execute(
        db,
      )
    : await sql<{ name: string; definition: string }>`select name, sql as definition from sqlite_master
        where type = 'index' and tbl_name = ${table} and sql is not null`.execute(db);
  for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(db);
  await fill();
  for (const { name, definition } of indexes) {
    say(`index ${name}`);
    await sql.raw(definition).execute(db);
  }
}

/** The last twelve digits of a UUID, on both databases. SQLite joins texts before it divides: hence the brackets below. */
const uuid = (kind: string) => sql`${sql.lit(`${kind}0000000-0000-4000-8000-`)} || ${digits(12)}`;
const digits = (width: number) => {
  const padded = sql`${sql.lit('0'.repeat(width))} || n`;
  return sql`substr(${padded}, length(${padded}) - ${sql.lit(width - 1)})`;
};

async function fillApiKeys(
  db: Database,
  series: RawBuilder<unknown>,
  createdAt: RawBuilder<unknown>,
  now: number,
) {
  const expiresAt = sql`case n % 4 when 0 then null when 1 then ${sql.lit(now + 7 * dayMs)} when 2 then ${sql.lit(now + 90 * dayMs)} else ${sql.lit(now - dayMs)} end`;
  await sql`insert into api_keys (id, name, key_hash, key_prefix, scope, created_at, expires_at, revoked_at, last_used_at)
    select ${uuid('a')}, 'Key of workshop ' || n, ${sql.lit('f'.repeat(52))} || ${digits(12)}, 'lk_' || ${digits(8)},
      case when n % 1000 = 0 then 'admin' when n % 3 = 0 then 'full' when n % 3 = 1 then 'upload' else 'playback' end,
      ${createdAt}, ${expiresAt}, case when n % 10 = 9 then ${sql.lit(now - dayMs)} end,
      case when n % 7 = 0 then null else ${sql.lit(now)} - (n % 200) * ${sql.lit(dayMs)} end
    from ${series}`.execute(db);
}

async function fillContents(db: Database, series: RawBuilder<unknown>, createdAt: RawBuilder<unknown>) {
  await sql`insert into contents (id, name, status, key_version, size_bytes, manifest_key, metadata, search_text, created_at, updated_at)
    select 'content-' || n, 'The Long Film, part ' || n, case when n % 50 = 0 then 'disabled' else 'active' end, 1, n * 1000,
      'content/content-' || n || '/index.m3u8', '{"genre":"drama","note":"' || ${sql.lit('x'.repeat(200))} || '"}',
      'the long film, part ' || n || ${sql.lit('\n')} || 'content-' || n, ${createdAt}, ${createdAt}
    from ${series}`.execute(db);
}

async function fillLeases(
  db: Database,
  series: RawBuilder<unknown>,
  createdAt: RawBuilder<unknown>,
  count: number,
  now: number,
) {
  const ended = sql.lit(Math.floor(count * 0.3));
  const revoked = sql.lit(Math.floor(count * 0.4));
  await sql`insert into leases (id, viewer_id, content_id, device_id, created_at, renewed_at, expires_at, revoked_at, revoked_by, reason)
    select ${uuid('e')}, case when n % 20 = 0 then 'viewer-0' else 'viewer-' || (n % 200000) end,
      case when n % 2 = 0 then 'content-0' else 'content-' || (n % 100000) end, null, ${createdAt}, null,
      case when n < ${ended} then ${createdAt} + 300 else ${sql.lit(now)} + 3600000 + n % 1000 end,
      case when n >= ${ended} and n < ${revoked} then ${createdAt} + 200 end,
      case when n >= ${ended} and n < ${revoked} then 'management' end, null
    from ${series}`.execute(db);
}

async function fillMarks(db: Database, series: RawBuilder<unknown>, markedAt: RawBuilder<unknown>) {
  await sql`insert into marks (viewer_id, content_id, marked_at)
    select 'viewer-' || n, case when n % 2 = 0 then '' else 'content-0' end, ${markedAt} from ${series}`.execute(
    db,
  );
}

async function fillBlocks(db: Database, series: RawBuilder<unknown>, blockedAt: RawBuilder<unknown>) {
  await sql`insert into viewer_blocks (viewer_id, blocked_at) select 'blocked-' || n, ${blockedAt} from ${series}`.execute(
    db,
  );
}

async function fillAudit(db: Database, series: RawBuilder<unknown>, at: RawBuilder<unknown>) {
  await sql`insert into audit (at, actor_kind, actor_id, action, target, client_ip, request_id, outcome, code)
    select ${at}, case n % 3 when 0 then 'api-key' when 1 then 'anonymous' else 'viewer' end,
      case n % 3 when 0 then 'key-' || (n % 500) when 1 then null else 'viewer-' || n end,
      case n % 4 when 0 then 'lease.revoke' when 1 then 'api-key.list' when 2 then 'content.update' else 'lease.list' end,
      'content-' || (n % 1000), '192.0.2.7', 'request-' || n, case when n % 100 = 0 then 'done' else 'refused' end,
      case when n % 100 = 0 then null else 'INVALID_API_KEY' end
    from ${series}`.execute(db);
}
