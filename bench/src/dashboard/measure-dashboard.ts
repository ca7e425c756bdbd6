import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn } from '@latchkey/acceptance/dashboard-sign-in';
import { openBrowser } from '@latchkey/rig/open-browser';
import { provideTool } from '@latchkey/rig/provide-tool';
import { createCleanup } from '../cleanup.ts';
import { fillDatabase, fillSettings } from '../fill-database.ts';
import { adminKey, startSingleNode } from '../servers.ts';
import { findInteractions } from './find-interactions.ts';
import { listInteractions } from './list-interactions.ts';
import { timeInteraction } from './time-interaction.ts';

export interface DashboardOptions {
  rounds: number;
  /** Only interactions whose names have this in them. */
  only: string;
  /** A SQLite file that an earlier run has filled, or that this one fills and leaves; undefined for one that is removed. */
  database: string | undefined;
  say: (line: string) => void;
}

/** How long an interaction took in each round, in milliseconds, or why it never ended. */
export interface DashboardSample {
  name: string;
  tookMs: readonly number[];
  fault: string | null;
}

/**
 * Fills a SQLite database, starts the single node on it, and times each interaction in Chromium on a page that was just
 * loaded.
 *
 * @throws Error if Chromium is missing
 */
export async function measureDashboard({
  rounds,
  only,
  database,
  say,
}: DashboardOptions): Promise<DashboardSample[]> {
  const chromium = provideTool('chromium');
  if (!chromium) throw new Error('This measurement needs Chromium, which is not installed.');
  const cleanup = createCleanup();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-dashboard-'));
    cleanup.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    const sqlitePath = database ?? join(folder, 'latchkey.db');
    say('filling the database');
    await fillDatabase(undefined, sqlitePath, say);
    const server = cleanup.add(await startSingleNode({ SQLITE_PATH: sqlitePath }, 'Latchkey', fillSettings));
    const browser = await openBrowser(chromium);
    cleanup.add({ stop: () => browser.close() });
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
    await page.goto(`${server.url}/admin/account`);
    await page.getByLabel(/Keep me signed in/).check();
    await signIn(page, adminKey);
    const samples: DashboardSample[] = [];
    const interactions = [...listInteractions, ...findInteractions];
    for (const interaction of interactions.filter(({ name }) => name.includes(only))) {
      say(interaction.name);
      samples.push(
        await repeat(interaction.name, rounds, () => timeInteraction(page, server.url, interaction)),
      );
    }
    return samples;
  } finally {
    await cleanup.run();
  }
}

async function repeat(name: string, rounds: number, time: () => Promise<number>): Promise<DashboardSample> {
  const tookMs: number[] = [];
  try {
    // Not measured: the first run fetches the scripts of the page and fills the caches of the server.
    await time();
    for (let round = 0; round < rounds; round++) tookMs.push(await time());
    return { name, tookMs, fault: null };
  } catch (error) {
    return {
      name,
      tookMs,
      fault: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
    };
  }
}
