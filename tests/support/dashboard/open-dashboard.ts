import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { ensureDashboard } from '../../../tools/ensure-dashboard.mjs';
import type { Environment } from '../black-box/server-process.ts';
import { openSharedBrowser } from '../black-box/shared-browser.ts';
import type { SharedName } from '../black-box/shared-settings.ts';
import {
  type OwnSingleNode,
  openShared,
  openTarget,
  startSingleNode,
  type Target,
} from '../black-box/target.ts';
import { keepAnnouncements } from './announcements.ts';
import { signIn, untilSignedIn } from './sign-in.ts';
import { watchPage } from './watch-page.ts';

export { signIn };

export type Preparation = (page: Page) => Promise<unknown>;

interface PageOptions {
  /** Within /admin. */
  path?: string;
  /** Opens the page as a browser tab that remembers this key, so that nothing is typed. `signIn` uses the form. */
  as?: string;
  /** Of the window, in CSS pixels. */
  width?: number;
  theme?: 'light' | 'dark';
  /** Files whose failure the test itself causes. Errors of these are ignored. */
  broken?: RegExp;
  /** Runs before the page is loaded: for its clock, its routes and its scripts. */
  prepare?: Preparation | undefined;
  /** In a browser profile of its own, and so in a process of its own. Playwright sets the clock of a whole profile. */
  isAlone?: boolean;
}

export interface DashboardBrowser {
  /** Opens the dashboard in a new tab. Any error on its pages fails the test at its end. */
  open(options?: PageOptions): Promise<Page>;
}

/** The width of a laptop's screen, in CSS pixels. */
const defaultWidth = 1280;
const height = 900;
const profileOptions: BrowserContextOptions = {
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
  reducedMotion: 'reduce',
};

/** The dashboard of a claimed server, which other files use at the same time: the server at `BASE_URL`, or a shared one. */
export async function openDashboard(): Promise<DashboardBrowser & { target: Target }> {
  buildDashboard();
  return openClaimed(await openTarget());
}

/**
 * The dashboard of a shared server with these settings.
 *
 * @param through starts a proxy before the server, and returns its URL
 */
export async function openSharedDashboard(
  name: SharedName,
  through?: (server: string) => Promise<string>,
): Promise<DashboardBrowser & { target: Target }> {
  buildDashboard();
  return openClaimed(await openShared(name), through);
}

async function openClaimed(
  target: Target,
  through?: (server: string) => Promise<string>,
): Promise<DashboardBrowser & { target: Target }> {
  // An unclaimed server shows the wizard.
  const { json } = await target.client.get('/api/v1/setup');
  if (json.setup_required) await target.client.post('/api/v1/setup', target.adminApiKey);
  return { target, ...(await openDashboardAt((await through?.(target.url)) ?? target.url)) };
}

/** The dashboard of a single node that is started for the test file, with this configuration. */
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
  let profile: Promise<BrowserContext> | null = null;

  /** The file's own browser profile. It ends with the browser's connection. */
  async function openProfile(): Promise<BrowserContext> {
    const context = await browser.newContext(profileOptions);
    // An empty page that stays open keeps the process of this site, and with it the compiled scripts of the dashboard.
    const kept = await context.newPage();
    await kept.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await kept.goto(`${url}/empty`);
    return context;
  }

  return {
    async open({ path = '', as, width = defaultWidth, theme = 'light', broken, prepare, isAlone } = {}) {
      const own = isAlone ? await browser.newContext(profileOptions) : null;
      profile ??= own ? null : openProfile();
      const context = own ?? (await (profile as Promise<BrowserContext>));
      const page = await context.newPage();
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      const complaints = await watchPage(page, url, broken);
      await keepAnnouncements(page);
      onTestFinished(async () => {
        await (own ?? page).close();
        expect(complaints).toEqual([]);
      });
      // The empty page before it has no storage.
      if (as !== undefined)
        await page.addInitScript(`origin === 'null' || sessionStorage.setItem('latchkey-api-key', '${as}')`);
      await prepare?.(page);
      await page.goto(`${url}/admin${path}`);
      if (as !== undefined) await untilSignedIn(page);
      return page;
    },
  };
}
