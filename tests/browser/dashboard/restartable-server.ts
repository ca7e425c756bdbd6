import { complete, makeTestFolder, startInTest } from '@latchkey/support/black-box/own-process';
import { makeApiKey } from '@latchkey/support/black-box/target';
import {
  buildDashboard,
  type DashboardBrowser,
  openDashboardAt,
} from '@latchkey/support/dashboard/open-dashboard';
import { findFreePort } from '@latchkey/support/find-free-port';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A server that a test can kill and restart at the same address, with the same data. */
interface RestartableServer {
  url: string;
  adminApiKey: string;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface RestartableDashboard extends DashboardBrowser {
  /** Starts a new server until the test ends. It is claimed, unless the test does that. One at a time. */
  start(options?: { isClaimed?: boolean }): Promise<RestartableServer>;
}

/**
 * Resolves once a signed-in page has preloaded the scripts of all pages, so that it can show each of them without the server.
 */
export async function untilFetchedAhead(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(fetchedAhead)).toEqual({ pages: 11, missing: [] });
}

/** The number of pages whose scripts were requested, and the requested files that have not arrived. */
const fetchedAhead = `(() => {
  const asked = [...document.querySelectorAll('link[rel=modulepreload], link[rel=stylesheet]')].map(({ href }) => href);
  const there = new Set(performance.getEntriesByType('resource').map(({ name }) => name));
  return {
    pages: asked.filter((url) => /-page-[^/]*[.]js$/.test(url)).length,
    missing: asked.filter((url) => !there.has(url)),
  };
})()`;

/** The dashboard of a server that tests kill and restart. */
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
