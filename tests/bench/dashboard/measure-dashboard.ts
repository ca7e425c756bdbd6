import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn } from '@latchkey/support/dashboard/sign-in';
import { openBrowser } from '@latchkey/support/open-browser';
import { provideTool } from '@latchkey/support/provide-tool';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
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
  /** Where the rows are. */
  database: 'SQLite' | 'Postgres';
  /** A SQLite file or the URL of a Postgres that an earlier run has filled, or that this one fills and leaves; undefined for one that is removed. */
  kept: string | undefined;
  say: (line: string) => void;
}

/** How long an interaction took in each round, in milliseconds, or why it never ended. */
export interface DashboardSample {
  name: string;
  tookMs: readonly number[];
  fault: string | null;
}

/**
 * Fills a database, starts the single node on it, and times each interaction in Chromium on a page that was just
 * loaded.
 *
 * @throws Error if Chromium or Postgres is missing
 */
export async function measureDashboard({
  rounds,
  only,
  database,
  kept,
  say,
}: DashboardOptions): Promise<DashboardSample[]> {
  const chromium = provideTool('chromium');
  if (!chromium) throw new Error('This measurement needs Chromium, which is not installed.');
  const cleanup = createCleanup();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-dashboard-'));
    cleanup.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    const place = kept ?? join(folder, 'latchkey.db');
    const postgres = database === 'Postgres' && !kept ? cleanup.add(await startOwnPostgres()) : null;
    const databaseUrl = database === 'Postgres' ? (postgres?.url ?? place) : undefined;
    say(`filling ${database}`);
    await fillDatabase(databaseUrl, place, say);
    const settings = databaseUrl ? { DATABASE_URL: databaseUrl } : { SQLITE_PATH: place };
    const server = cleanup.add(await startSingleNode(settings, 'Latchkey', fillSettings));
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
