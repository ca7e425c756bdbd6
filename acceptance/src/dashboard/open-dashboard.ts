import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { ensureDashboard } from '../../../scripts/ensure-dashboard.mjs';
import type { Environment } from '../server-process.ts';
import { openSharedBrowser } from '../shared-browser.ts';
import { type OwnSingleNode, openTarget, startSingleNode, type Target } from '../target.ts';
import { keepAnnouncements } from './announcements.ts';
import { signIn } from './sign-in.ts';
import { watchPage } from './watch-page.ts';

export { signIn };

interface PageOptions {
  /** Within /admin. */
  path?: string;
  /** Signs in with this key before anything else. */
  as?: string;
  /** Of the window, in CSS pixels. */
  width?: number;
  theme?: 'light' | 'dark';
  /** Files whose failure the test itself causes. Errors of these are ignored. */
  broken?: RegExp;
}

export interface DashboardBrowser {
  /** Opens the dashboard in a new browser profile. Any error on its pages fails the test at its end. */
  open(options?: PageOptions): Promise<Page>;
}

/** The width of a laptop's screen, in CSS pixels. */
const defaultWidth = 1280;
const height = 900;

/** The dashboard of a claimed server: the server at `BASE_URL`, or one that is started for the test file. */
export async function openDashboard(): Promise<DashboardBrowser & { target: Target }> {
  buildDashboard();
  const target = await openTarget();
  // An unclaimed server shows the wizard.
  const { json } = await target.client.get('/api/v1/setup');
  if (json.setup_required) await target.client.post('/api/v1/setup', target.adminApiKey);
  return { target, ...(await openDashboardAt(target.url)) };
}

/** The dashboard of a server that is started for the test file, with this configuration. */
export async function startDashboard(
  env: Environment,
): Promise<DashboardBrowser & { server: OwnSingleNode }> {
  buildDashboard();
  const server = await startSingleNode(env);
  return { server, ...(await openDashboardAt(server.url)) };
}

/** @throws Error if the build fails */
export function buildDashboard(): void {
  if (!ensureDashboard()) throw new Error('The dashboard could not be built: see what vite wrote above.');
}

/** The dashboard at a URL. */
export async function openDashboardAt(url: string): Promise<DashboardBrowser> {
  const browser = await openSharedBrowser();
  return {
    async open({ path = '', as, width = defaultWidth, theme = 'light', broken } = {}) {
      const options: BrowserContextOptions = {
        viewport: { width, height },
        colorScheme: theme,
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        permissions: ['clipboard-read', 'clipboard-write'],
      };
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const complaints = watchPage(page, url, broken);
      await keepAnnouncements(page);
      onTestFinished(async () => {
        await context.close();
        expect(complaints).toEqual([]);
      });
      await page.goto(`${url}/admin${path}`);
      if (as !== undefined) await signIn(page, as);
      return page;
    },
  };
}
