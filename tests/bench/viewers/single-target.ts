import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@latchkey/shared/db';
import { singleNodeFlags } from '../../../tools/single-node-command.mjs';
import type { Cleanup } from '../cleanup.ts';
import { seedApiKeys } from '../seed-api-keys.ts';
import { seedLeases } from '../seed-leases.ts';
import { becomesReady, startSingleNode } from '../servers.ts';
import type { Target, TargetOptions } from './target.ts';
import { timeBoots } from './time-boots.ts';

/** Everything in one process, on SQLite in a folder of its own. */
export async function startSingleTarget(options: TargetOptions, cleanup: Cleanup): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const sqlitePath = join(folder, 'latchkey.db');
  const start = () => startSingleNode({ SQLITE_PATH: sqlitePath }, 'single node');
  // Not measured: the first start makes the tables and registers the master key.
  await timeBoots(1, start);
  const withoutLeasesMs = await timeBoots(options.boots, start);
  const db = openDatabase({ sqlitePath });
  try {
    await seedApiKeys(db, options.apiKeys, Date.now());
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
    flags: singleNodeFlags,
    replicas: 1,
    boots: { what: 'single node', withoutLeasesMs, withLeasesMs },
  };
}
