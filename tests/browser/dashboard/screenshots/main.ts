import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeFolder, startProcess } from '@latchkey/support/black-box/server-process';
import { openBrowser } from '@latchkey/support/open-browser';
import { provideTool } from '@latchkey/support/provide-tool';
import { readFlags } from '@latchkey/support/read-flags';
import { repositoryFolder } from '@latchkey/support/repository';
import { playlistOrigin, revocations, webhookOrigin } from './catalogue.ts';
import { fillServer } from './fill-server.ts';
import { addWebhooks, inventDay } from './invent-day.ts';
import { type Shot, takePictures } from './take-pictures.ts';

const usage = `npm test -- screenshots: takes the pictures of docs/operate/dashboard, from a server with made-up rows

Each page in light and dark, 1280 and 390 pixels wide. The pictures of before are replaced once all new ones are there.
Needs Chromium (CHROMIUM_PATH), and installs it if it is missing (Debian, as root).
`;
readFlags(usage, {});

const pictures = join(repositoryFolder, 'docs/operate/dashboard');

const countedEveryMs = 500;

const before: Shot[] = [{ name: 'setup', path: '/', awaits: 'h1' }];
const signedOut: Shot[] = [{ name: 'sign-in', path: '/', awaits: 'h1' }];
const pages: Shot[] = [
  { name: 'overview', path: '/', awaits: 'main figure' },
  { name: 'api-keys', path: '/api-keys', awaits: 'main [role=rowheader]' },
  { name: 'content', path: '/content', awaits: 'main [role=rowheader]' },
  { name: 'content-one', path: '/content/the-cartographer', awaits: 'main [role=rowheader]' },
  { name: 'leases', path: '/leases', awaits: 'main [role=rowheader]' },
  { name: 'viewers', path: '/viewers', awaits: 'main [role=rowheader]' },
  {
    name: 'viewer-one',
    path: `/viewers?viewer=${revocations[0]?.[0].viewerId}`,
    awaits: 'main [role=rowheader]',
  },
  { name: 'refusals', path: '/refusals', awaits: 'main [role=rowheader]' },
  { name: 'usage', path: '/usage?range=24h&by=content', awaits: 'main figure' },
  { name: 'audit', path: '/audit', awaits: 'main [role=rowheader]' },
  { name: 'webhooks', path: '/webhooks', awaits: 'main [role=rowheader]' },
  { name: 'settings', path: '/settings', awaits: 'main table' },
];

async function main(): Promise<void> {
  const chromium = provideTool('chromium');
  if (!chromium) throw new Error('There is no Chromium to take pictures with.');
  const folder = makeFolder();
  const secret = randomBytes(32);
  const sqlitePath = join(folder.path, 'latchkey.db');
  const server = startProcess(folder.path, {
    PORT: '0',
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    SQLITE_PATH: sqlitePath,
    MASTER_KEY_HEX: randomBytes(32).toString('hex'),
    SALT_HEX: randomBytes(32).toString('hex'),
    AUTH_JWT_SECRET: `base64:${secret.toString('base64')}`,
    SHUTDOWN_DRAIN_SECONDS: '0',
    PUBLIC_URL: 'https://keys.example.com',
    PLAYLIST_ORIGINS: playlistOrigin,
    WEBHOOK_ORIGINS: webhookOrigin,
  });
  const browser = await openBrowser(chromium);
  try {
    const url = await server.listens();
    const taken = join(folder.path, 'pictures');
    mkdirSync(taken);
    const studio = { browser, url, folder: taken };
    await takePictures({ ...studio, adminKey: null }, before);
    const claimed = await fetch(`${url}/api/v1/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Mona' }),
    });
    const { raw_key: adminKey } = (await claimed.json()) as { raw_key: string };
    await takePictures({ ...studio, adminKey: null }, signedOut);
    await fillServer({ url, adminKey, secret, sqlitePath });
    inventDay(sqlitePath, Date.now());
    await waitForCount(url, adminKey);
    await addWebhooks(url, adminKey, webhookOrigin);
    await takePictures({ ...studio, adminKey }, pages);
    for (const name of readdirSync(pictures).filter((file) => file.endsWith('.webp')))
      rmSync(join(pictures, name));
    cpSync(taken, pictures, { recursive: true });
  } finally {
    await browser.close();
    server.kill('SIGTERM');
    await server.ended();
    folder.remove();
  }
  const sizes = readdirSync(pictures).map((name) => statSync(join(pictures, name)).size);
  process.stdout.write(
    `${sizes.length} files, ${Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1_000)} kB, in docs/operate/dashboard\n`,
  );
}

/** Waits until the leases are counted: the server counts every few seconds, and its first count was 0. */
async function waitForCount(url: string, adminKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${adminKey}` };
  for (;;) {
    const answer = await fetch(`${url}/api/v1/statistics`, { headers });
    const { statistics } = (await answer.json()) as {
      statistics: { activeLeases: { count: number | null } };
    };
    if (statistics.activeLeases.count) return;
    await pause(countedEveryMs);
  }
}

await main();
