import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@latchkey/rig/processes/spawn-entry';
import { sql } from 'kysely';
import { createCleanup } from '../cleanup.ts';
import { readCpuMs } from '../proc/process-usage.ts';
import { adminKey, becomesReady, call, type Subject, startSingleNode, tokenSecret } from '../servers.ts';
import { type Backings, startBackings } from '../stack/backings.ts';
import { type LeaseCycle, loadLeases } from './lease-load.ts';
import { insertWithPgbench, pgbenchTime } from './pgbench.ts';

export interface LeaseActsOptions {
  connections: number;
  seconds: number;
  rounds: number;
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

/** Creations, renewals and releases on SQLite, and creations on Postgres beside pgbench with the same rows, in turn. */
export async function measureLeaseActs(options: LeaseActsOptions): Promise<LeaseSample[]> {
  const cleanup = createCleanup();
  const samples: LeaseSample[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
    cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
    const sqlite = cleanup.add(await startWithContent({ SQLITE_PATH: join(folder, 'latchkey.db') }));
    const backings = cleanup.add(await startBackings());
    const postgres = cleanup.add(await startWithContent({ DATABASE_URL: backings.env.DATABASE_URL }));
    const turn = (name: string, server: Subject, cycle: LeaseCycle, connections = options.connections) =>
      takeTurn(name, server, { cycle, connections, seconds: options.seconds });
    await turn('warm', sqlite, 'create, renew, release');
    await turn('warm', postgres, 'create');
    for (let round = 1; round <= options.rounds; round++) {
      options.say(`round ${round} of ${options.rounds}`);
      samples.push(await turn('SQLite, one connection', sqlite, 'create, renew, release', 1));
      samples.push(await turn('SQLite', sqlite, 'create, renew, release'));
      samples.push(
        ...(await takePostgresTurns(
          backings,
          () => turn('Postgres, creations', postgres, 'create'),
          options,
        )),
      );
    }
  } finally {
    await cleanup.run();
  }
  return samples;
}

async function startWithContent(database: Environment): Promise<Subject> {
  const server = await startSingleNode(database);
  await becomesReady(server.url);
  await call(server.url, 'POST', '/api/v1/content', adminKey, { id: contentId, name: 'Film' });
  return server;
}

async function takeTurn(
  name: string,
  { url, pid }: Subject,
  load: { cycle: LeaseCycle; connections: number; seconds: number },
): Promise<LeaseSample> {
  const cpuBefore = readCpuMs(pid);
  const { acts, perSecond, p50Ms, p99Ms } = await loadLeases({ url, tokenSecret, contentId, ...load });
  const cpuMicros = ((readCpuMs(pid) - cpuBefore) * 1_000) / acts;
  return { name, perSecond, p50Ms, p99Ms, cpuMicros, rowsPerCommit: null };
}

/** Latchkey first: pgbench then writes as many rows with each commit as Latchkey did. */
async function takePostgresTurns(
  { db, env }: Backings,
  takeOwnTurn: () => Promise<LeaseSample>,
  { connections, seconds }: LeaseActsOptions,
): Promise<LeaseSample[]> {
  const startedAt = Date.now();
  const own = await takeOwnTurn();
  // A row shows the transaction that wrote it (manual, section 5.6). pgbench's rows are of another time.
  const { rows: counts } = await sql<{ perCommit: number }>`
    select round(count(*)::numeric / greatest(1, count(distinct xmin::text)))::int as "perCommit" from leases
    where created_at >= ${startedAt} and created_at < ${pgbenchTime}`.execute(db);
  const rowsPerCommit = counts[0]?.perCommit ?? 1;
  const pgbench = async (rows: number, sessions: number): Promise<LeaseSample> => ({
    name: rows === 1 ? 'pgbench, one row per commit' : 'pgbench, as many rows per commit as Latchkey',
    perSecond: await insertWithPgbench(env.DATABASE_URL, { rows, sessions, seconds }),
    p50Ms: null,
    p99Ms: null,
    cpuMicros: null,
    rowsPerCommit: rows,
  });
  // One session, as Latchkey writes one transaction after another; one row per commit by as many as there are callers.
  return [
    { ...own, rowsPerCommit },
    await pgbench(Math.max(2, rowsPerCommit), 1),
    await pgbench(1, connections),
  ];
}
