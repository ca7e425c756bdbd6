import { findFreePort } from '@latchkey/rig/find-free-port';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { complete, makeTestFolder, startInTest } from '../own-process.ts';
import { makeApiKey } from '../target.ts';
import { buildDashboard, type DashboardBrowser, openDashboardAt } from './open-dashboard.ts';

/** One installation, which a test can lose and have back at the same address. */
interface RestartableServer {
  url: string;
  adminApiKey: string;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface RestartableDashboard extends DashboardBrowser {
  /** A new installation, which is set up unless that is left to the test, until the test ends. One at a time. */
  start(options?: { isClaimed?: boolean }): Promise<RestartableServer>;
}

/**
 * Resolves once a page that is signed in has the parts of every other, which it fetches ahead: without the server it would not
 * get them.
 */
export async function untilFetchedAhead(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(fetchedAhead)).toEqual({ pages: 6, missing: [] });
}

/** The parts that were asked for and are not there, beside how many pages they are of. */
const fetchedAhead = `(() => {
  const asked = [...document.querySelectorAll('link[rel=modulepreload], link[rel=stylesheet]')].map(({ href }) => href);
  const there = new Set(performance.getEntriesByType('resource').map(({ name }) => name));
  return {
    pages: asked.filter((url) => /(overview|api-keys|content|leases|audit|account)-page-[^/]*[.]js$/.test(url)).length,
    missing: asked.filter((url) => !there.has(url)),
  };
})()`;

/** The dashboard of a server that comes and goes. */
export async function openRestartableDashboard(): Promise<RestartableDashboard> {
  buildDashboard();
  const port = await findFreePort();
  const { open } = await openDashboardAt(`http://127.0.0.1:${port}`);
  return {
    open,
    async start({ isClaimed = true } = {}) {
      const folder = makeTestFolder();
      const adminApiKey = makeApiKey();
      const env = { ...complete, PORT: String(port), ADMIN_API_KEY: adminApiKey };
      let server = startInTest(folder, env);
      const url = await server.listens();
      if (isClaimed) await fetch(`${url}/api/v1/setup`, { method: 'POST' });
      return {
        url,
        adminApiKey,
        async kill() {
          server.kill('SIGKILL');
          await server.ended();
        },
        async restart() {
          server = startInTest(folder, env);
          await server.listens();
        },
      };
    },
  };
}
