import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate, openDatabase } from '@latchkey/shared/db';
import { findFreePort } from '@latchkey/support/find-free-port';
import { runCli } from '@latchkey/support/processes/run-cli';
import { singleNodeEntry } from '@latchkey/support/stack/topology';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { sql } from 'kysely';
import { type Cleanup, createCleanup } from '../cleanup.ts';
import { literal, numbers } from '../generated-rows.ts';
import { adminKey, call, startServer, tokenSecret } from '../servers.ts';

const hourMs = 3_600_000;
/** Rare enough that the load itself keeps nobody waiting. */
const requestEveryMs = 20;
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/** What creations of leases took, in milliseconds, and what the server said of its purge. */
export interface PurgeSample {
  name: string;
  /** Without other work, during the purge, and during `latchkey backup` (SQLite alone). */
  alone: number[];
  beside: number[];
  backup: number[];
  backupMs: number | null;
  rows: number;
  steps: number;
  /** Steps that held their locks for more than 50 ms. */
  longSteps: number;
  /** The upper bound of the longest step's bucket. */
  longestMs: number;
}

/** Purges leases that ended long ago, in a server that gets creations of leases meanwhile. */
export async function measurePurge(
  name: 'SQLite' | 'Postgres',
  leases: number,
  say: (line: string) => void,
): Promise<PurgeSample> {
  const cleanup = createCleanup();
  try {
    return await measure(name, leases, cleanup, say);
  } finally {
    await cleanup.run();
  }
}

async function measure(
  name: 'SQLite' | 'Postgres',
  leases: number,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<PurgeSample> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-purge-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
  const postgres = name === 'Postgres' ? cleanup.add(await startOwnPostgres(durable)) : null;
  const sqlitePath = join(folder, 'latchkey.db');
  await seed({ databaseUrl: postgres?.url, sqlitePath }, leases);
  say(`${name}: ${leases.toLocaleString('en')} ended leases are written`);
  const metricsPort = await findFreePort();
  const server = cleanup.add(
    await startServer(name, singleNodeEntry, {
      ...(postgres ? { DATABASE_URL: postgres.url } : { SQLITE_PATH: sqlitePath }),
      MASTER_KEY_HEX: '1'.repeat(64),
      SALT_HEX: '2'.repeat(64),
      ADMIN_API_KEY: adminKey,
      AUTH_JWT_SECRET: tokenSecret,
      METRICS_PORT: String(metricsPort),
      METRICS_HOST: '127.0.0.1',
      SHUTDOWN_DRAIN_SECONDS: '0',
    }),
  );
  await call(server.url, 'POST', '/api/v1/content', adminKey, { id: 'film', name: 'Film' });
  const read = () => readPurge(metricsPort);
  const create = () => timeCreation(server.url);
  const alone: number[] = [];
  while ((await read()).rows === 0) alone.push(await create());
  say(`${name}: the purge has begun`);
  const beside: number[] = [];
  while ((await read()).rows < leases) beside.push(await create());
  const backup: number[] = [];
  const backupMs = postgres ? null : await backUp(sqlitePath, join(folder, 'copy.db'), create, backup);
  return { name, alone, beside, backup, backupMs, ...(await read()) };
}

async function backUp(from: string, to: string, create: () => Promise<number>, times: number[]) {
  const beganAt = performance.now();
  let isOver = false;
  const running = runCli(['backup', to], { SQLITE_PATH: from }).finally(() => {
    isOver = true;
  });
  while (!isOver) times.push(await create());
  await running;
  return performance.now() - beganAt;
}

/** Leases that ended two days ago. */
async function seed(
  place: { databaseUrl: string | undefined; sqlitePath: string },
  leases: number,
): Promise<void> {
  const db = openDatabase({ ...place, longStatements: true });
  await migrate(db);
  const endedAt = Date.now() - 48 * hourMs;
  const id = sql`'00000000-0000-4000-8000-' || substr('000000000000' || n, length('000000000000' || n) - 11)`;
  for (let from = 0; from < leases; from += 20_000)
    await sql`insert into leases (id, viewer_id, content_id, created_at, expires_at)
      ${numbers(from, Math.min(leases, from + 20_000))}
      select ${id}, 'viewer-' || n, 'film-' || (n % 100), ${literal(endedAt - hourMs)} + n, ${literal(endedAt)} + n
      from numbers`.execute(db);
  await db.destroy();
}

async function timeCreation(url: string): Promise<number> {
  await pause(requestEveryMs);
  const beganAt = performance.now();
  await call(url, 'POST', '/keys/leases', adminKey, { contentId: 'film', viewerId: 'ada' });
  return performance.now() - beganAt;
}

async function readPurge(port: number) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const buckets = [...text.matchAll(/^latchkey_purge_duration_seconds_bucket\{(.*)\} (\d+)$/gm)]
    .filter(([, labels = '']) => labels.includes('table="leases"'))
    .map(([, labels = '', count]) => ({
      upTo: Number(/le="([^"]+)"/.exec(labels)?.[1]?.replace('+Inf', 'Infinity')),
      count: Number(count),
    }));
  const steps = Math.max(0, ...buckets.map(({ count }) => count));
  const short = buckets.find(({ upTo }) => upTo === 0.05)?.count ?? 0;
  const longest = buckets.find(({ count }) => count === steps)?.upTo ?? 0;
  const removed = /^latchkey_purged_rows_total\{[^}]*table="leases"[^}]*\} (\d+)$/m.exec(text);
  const rows = Number(removed?.[1] ?? 0);
  return { rows, steps, longSteps: steps - short, longestMs: longest * 1_000 };
}
