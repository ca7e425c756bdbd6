import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@latchkey/shared/db';
import { sql } from 'kysely';
import { type Cleanup, createCleanup } from '../cleanup.ts';
import { type CorePlan, pin, readCorePlan } from '../proc/cores.ts';
import { readCpuMs } from '../proc/process-usage.ts';
import { adminKey, becomesReady, call, type Subject, startSingleNode, tokenSecret } from '../servers.ts';
import { type LeaseCycle, type LeaseLoad, loadLeases } from './lease-load.ts';
import { type MeasuredLeaseService, startLeaseService } from './lease-service.ts';
import { insertWithPgbench, pgbenchTime } from './pgbench.ts';

export interface LeaseActsOptions {
  connections: number;
  seconds: number;
  rounds: number;
  /** Postgres alone, where this is `Postgres`. */
  only: string;
  say: (line: string) => void;
}

/** One turn of one subject. */
export interface LeaseSample {
  name: string;
  /** Acts, or rows of pgbench. */
  perSecond: number;
  p50Ms: number | null;
  p99Ms: number | null;
  /** CPU time of the server for one act; null for pgbench. */
  cpuMicros: number | null;
  /** Rows of one commit; null where it was not counted. */
  rowsPerCommit: number | null;
}

const contentId = 'film';
/** The connections of a service to Postgres (`maxConnections` of `shared/src/db/postgres-pool.ts`). */
const sessions = 10;

/**
 * Creations, renewals and releases on SQLite by the single node, and creations on Postgres by the lease service alone, as a gateway
 * would send them, beside pgbench with the same rows. In turn.
 */
export async function measureLeaseActs(options: LeaseActsOptions): Promise<LeaseSample[]> {
  const cleanup = createCleanup();
  const samples: LeaseSample[] = [];
  try {
    const plan = readCorePlan();
    // This process is the load. It starts the servers from the cores that are left, and then moves to its own.
    if (plan) pin(process.pid, plan.others);
    const sqlite = options.only === 'Postgres' ? null : await startOnSqlite(cleanup, plan);
    const postgres = await startLeaseService(cleanup, plan, contentId);
    if (plan) pin(process.pid, plan.load);
    for (let round = 0; round <= options.rounds; round++) {
      options.say(round === 0 ? 'warming' : `round ${round} of ${options.rounds}`);
      const found = [
        ...(sqlite ? await takeSqliteTurns(sqlite, options) : []),
        ...(await takePostgresTurns(postgres, options)),
      ];
      if (round > 0) samples.push(...found);
    }
  } finally {
    await cleanup.run();
  }
  return samples;
}

async function startOnSqlite(cleanup: Cleanup, plan: CorePlan | null): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const server = cleanup.add(await startSingleNode({ SQLITE_PATH: join(folder, 'latchkey.db') }));
  await becomesReady(server.url);
  await call(server.url, 'POST', '/api/v1/content', adminKey, { id: contentId, name: 'Film' });
  if (plan) pin(server.pid, plan.server);
  return server;
}

async function takeSqliteTurns(server: Subject, options: LeaseActsOptions): Promise<LeaseSample[]> {
  const turn = (name: string, connections: number, cycle: LeaseCycle) =>
    takeTurn(name, server, { cycle, connections, seconds: options.seconds });
  return [
    await turn('SQLite, one connection', 1, 'create, renew, release'),
    await turn('SQLite', options.connections, 'create, renew, release'),
    await turn('SQLite, creations', options.connections, 'create'),
  ];
}

async function takeTurn(
  name: string,
  { url, pid }: Subject,
  load: Pick<LeaseLoad, 'cycle' | 'connections' | 'seconds' | 'headers'>,
): Promise<LeaseSample> {
  const cpuBefore = readCpuMs(pid);
  const { acts, perSecond, p50Ms, p99Ms } = await loadLeases({ url, tokenSecret, contentId, ...load });
  const cpuMicros = ((readCpuMs(pid) - cpuBefore) * 1_000) / acts;
  return { name, perSecond, p50Ms, p99Ms, cpuMicros, rowsPerCommit: null };
}

/** Latchkey first: pgbench then writes as many rows with each commit as Latchkey did. */
async function takePostgresTurns(
  { server, headers, databaseUrl, db }: MeasuredLeaseService,
  { connections, seconds }: LeaseActsOptions,
): Promise<LeaseSample[]> {
  const startedAt = Date.now();
  const load = { cycle: 'create', connections, seconds, headers } as const;
  const own = await takeTurn('the lease service on Postgres, creations', server, load);
  const rowsPerCommit = await countRowsPerCommit(db, startedAt);
  const pgbench = async (rows: number, clients: number): Promise<LeaseSample> => ({
    name: `pgbench, ${rows === 1 ? 'one row per commit' : 'as many rows per commit as Latchkey'}, ${clients} ${clients === 1 ? 'session' : 'sessions'}`,
    perSecond: await insertWithPgbench(databaseUrl, { rows, sessions: clients, seconds }),
    p50Ms: null,
    p99Ms: null,
    cpuMicros: null,
    rowsPerCommit: rows,
  });
  const many = Math.max(2, rowsPerCommit);
  return [
    { ...own, rowsPerCommit },
    await pgbench(many, 1),
    await pgbench(many, sessions),
    await pgbench(1, 1),
    await pgbench(1, sessions),
  ];
}

/** A row shows the transaction that wrote it (manual, section 5.6). pgbench's rows are of another time. */
async function countRowsPerCommit(db: Database, since: number): Promise<number> {
  const { rows } = await sql<{ perCommit: number }>`
    select round(count(*)::numeric / greatest(1, count(distinct xmin::text)))::int as "perCommit" from leases
    where created_at >= ${since} and created_at < ${pgbenchTime}`.execute(db);
  return rows[0]?.perCommit ?? 1;
}
