import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { singleNodeEntry } from '@latchkey/rig/stack/topology';
import { openDatabase } from '@latchkey/shared/db';
import type { Cleanup } from '../cleanup.ts';
import { seedLeases } from '../seed-leases.ts';
import { adminKey, becomesReady, startServer, tokenSecret } from '../servers.ts';
import type { Target, TargetOptions } from './target.ts';
import { timeBoots } from './time-boots.ts';

/** Everything in one process, on SQLite in a folder of its own. */
export async function startSingleTarget(options: TargetOptions, cleanup: Cleanup): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const sqlitePath = join(folder, 'latchkey.db');
  const start = () =>
    startServer('single node', singleNodeEntry, {
      SQLITE_PATH: sqlitePath,
      ADMIN_API_KEY: adminKey,
      AUTH_JWT_SECRET: tokenSecret,
      MASTER_KEY_HEX: '1'.repeat(64),
      SALT_HEX: '2'.repeat(64),
      METRICS_PORT: '0',
      SHUTDOWN_DRAIN_SECONDS: '0',
    });
  // The first makes the tables and the master key; it is not measured.
  await timeBoots(1, start);
  const withoutLeasesMs = await timeBoots(options.boots, start);
  const db = openDatabase({ sqlitePath });
  try {
    await seedLeases(db, options, Date.now(), options.say);
  } finally {
    await db.destroy();
  }
  const withLeasesMs = await timeBoots(options.boots, start);
  const server = cleanup.add(await start());
  await becomesReady(server.url);
  return {
    url: server.url,
    processes: [server],
    replicas: 1,
    boots: { what: 'single node', withoutLeasesMs, withLeasesMs },
  };
}
