import { type Database, openDatabase } from '@latchkey/shared/db';
import { findProgram, startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { sql } from 'kysely';
import { registerContent } from '../keys/viewers.ts';
import { runLoad } from '../load.ts';
import { type CorePlan, pin, settleOnCores } from '../proc/cores.ts';
import { readCpuMs } from '../proc/process-usage.ts';
import type { Run } from '../run.ts';
import { gatewayHeaders, type Subject, startServices, startSingleNode } from '../servers.ts';
import { type LeaseCycle, leaseRequests } from './lease-requests.ts';
import { insertWithPgbench, pgbenchTime } from './pgbench.ts';

/** One turn of one subject. */
export interface LeaseSample {
  name: string;
  /** Acts, or rows of pgbench. */
  perSecond: number;
  p50Ms?: number;
  p99Ms?: number;
  /** CPU time of the server for one act. */
  cpuMicros?: number;
  rowsPerCommit?: number;
}

const connections = 64;
/** The connections of a service to Postgres (`mostConnections` of `shared/src/db/postgres-pool.ts`). */
const sessions = 10;
/** Settings of a Postgres that waits for the disk with each commit, as it does by default. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/**
 * Creations, renewals and releases on SQLite by the single node, and creations on Postgres by the lease service alone, as a gateway
 * would send them. For comparison, pgbench inserts the same rows. They take turns, after a round that does not count.
 *
 * @throws Error if Postgres is not installed
 */
export async function measureLeases(run: Run): Promise<LeaseSample[]> {
  const { rounds, seconds, cleanup, say, misses } = run;
  const plan = await settleOnCores(run);
  const single = await startSingleNode(cleanup);
  await registerContent(single);
  const postgres = cleanup.add(await startOwnPostgres(durable));
  const service = await startLeaseService(run, postgres, plan);
  const db = openDatabase({ databaseUrl: postgres.url, sqlitePath: '' });
  cleanup.add({ stop: () => db.destroy() });
  const pgbench = findProgram('pgbench');
  if (!pgbench) misses('pgbench: it is not installed on this machine');
  if (plan) {
    for (const { pid } of [single, service]) pin(pid, plan.server);
    pin(process.pid, plan.load);
  }
  const samples: LeaseSample[] = [];
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming' : `round ${round} of ${rounds}`);
    const found = [
      await takeTurn('SQLite, one connection', single, seconds, 'create, renew, release', 1),
      await takeTurn('SQLite', single, seconds, 'create, renew, release'),
      await takeTurn('SQLite, creations', single, seconds, 'create'),
      ...(await takePostgresTurns(service, db, seconds, pgbench ? { pgbench, url: postgres.url } : null)),
    ];
    if (round > 0) samples.push(...found);
  }
  return samples;
}

async function startLeaseService(
  { cleanup }: Run,
  postgres: { url: string; pid: number },
  plan: CorePlan | null,
): Promise<Subject> {
  if (plan) pin(postgres.pid, [...new Set([...plan.upstream, ...plan.others])]);
  const { gateway, leases } = await startServices(cleanup, postgres.url);
  await registerContent(gateway);
  return leases;
}

async function takeTurn(
  name: string,
  { url, pid }: Subject,
  seconds: number,
  cycle: LeaseCycle,
  opened = connections,
  headers: Readonly<Record<string, string>> = {},
): Promise<LeaseSample> {
  const cpuBefore = readCpuMs(pid);
  const requestsOf = () => leaseRequests('film', cycle, headers);
  const result = await runLoad({ url, connections: opened, seconds, requestsOf });
  const cpuMicros = ((readCpuMs(pid) - cpuBefore) * 1_000) / result.requests;
  const { requests, seconds: lasted, p50Ms, p99Ms } = result;
  return { name, perSecond: requests / lasted, p50Ms, p99Ms, cpuMicros };
}

/** Latchkey first: pgbench then writes as many rows with each commit as Latchkey did. */
async function takePostgresTurns(
  service: Subject,
  db: Database,
  seconds: number,
  peer: { pgbench: string; url: string } | null,
): Promise<LeaseSample[]> {
  const startedAt = Date.now();
  const name = 'the lease service on Postgres, creations';
  const own = await takeTurn(name, service, seconds, 'create', connections, gatewayHeaders);
  const rowsPerCommit = await countRowsPerCommit(db, startedAt);
  const samples: LeaseSample[] = [{ ...own, rowsPerCommit }];
  if (!peer) return samples;
  for (const rows of [Math.max(2, rowsPerCommit), 1])
    for (const clients of [1, sessions])
      samples.push({
        name: `pgbench, ${rows === 1 ? 'one row per commit' : 'as many rows per commit as Latchkey'}, ${clients} ${clients === 1 ? 'session' : 'sessions'}`,
        perSecond: await insertWithPgbench(peer.pgbench, peer.url, { rows, sessions: clients, seconds }),
        rowsPerCommit: rows,
      });
  return samples;
}

/** A row shows the transaction that wrote it (manual, section 5.6). pgbench's rows are of another time. */
async function countRowsPerCommit(db: Database, since: number): Promise<number> {
  const { rows } = await sql<{ perCommit: number }>`
    select round(count(*)::numeric / greatest(1, count(distinct xmin::text)))::int as "perCommit" from leases
    where created_at >= ${since} and created_at < ${pgbenchTime}`.execute(db);
  return rows[0]?.perCommit ?? 1;
}
