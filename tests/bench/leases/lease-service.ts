import { type Database, migrate, openDatabase } from '@latchkey/shared/db';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import type { Cleanup } from '../cleanup.ts';
import { type CorePlan, pin } from '../proc/cores.ts';
import { adminKey, type Subject } from '../servers.ts';
import { internalSecret, startOwners } from '../stack/services.ts';

/** A separate lease service on a Postgres that waits for the disk with each commit, as it does by default. */
export interface MeasuredLeaseService {
  server: Subject;
  /** What a gateway sends with each request. */
  headers: Readonly<Record<string, string>>;
  databaseUrl: string;
  db: Database;
}

const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/**
 * Starts Postgres and the services, registers a content, and gives the lease service a core of its own.
 *
 * @throws Error if Postgres is not installed
 */
export async function startLeaseService(
  cleanup: Cleanup,
  plan: CorePlan | null,
  contentId: string,
): Promise<MeasuredLeaseService> {
  const postgres = cleanup.add(await startOwnPostgres(durable));
  if (plan) pin(postgres.pid, [...new Set([...plan.upstream, ...plan.others])]);
  const db = openDatabase({ databaseUrl: postgres.url, sqlitePath: '' });
  cleanup.add({ stop: () => db.destroy() });
  await migrate(db);
  const { servers } = await startOwners({ DATABASE_URL: postgres.url });
  for (const server of Object.values(servers)) cleanup.add(server);
  const headers = { 'x-latchkey-secret': internalSecret };
  const registered = await fetch(`${servers.content.url}/api/v1/content`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: contentId, name: 'Film' }),
  });
  if (!registered.ok) throw new Error(`the content was not registered: ${await registered.text()}`);
  if (plan) pin(servers.leases.pid, plan.server);
  return { server: servers.leases, headers, databaseUrl: postgres.url, db };
}
