import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readLines } from '@latchkey/support/black-box/request-lines';
import { createLease, oncePropagated, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { openBrowser } from '@latchkey/support/open-browser';
import type { KeyRequest } from '@latchkey/support/playback/key-requests';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import { repositoryFolder } from '@latchkey/support/repository';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';

// docs/start/clear-key.md: what `latchkey encrypt --scheme` makes, in the players that it names.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const run = promisify(execFile);
const seconds = 12;
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const fileOf = (module: string, name: string) => join(fileURLToPath(import.meta.resolve(module)), '..', name);

const folder = makeFolder();
const media = await startMediaServer(folder.path, {
  '/clear-key.html': pathOf('clear-key.html'),
  '/clear-key.js': pathOf('clear-key.js'),
  '/dash.mjs': fileURLToPath(import.meta.resolve('dashjs')),
  '/shaka-player.js': fileOf('shaka-player', 'shaka-player.compiled.js'),
});
const server = await startSingleNode({ CORS_ORIGINS: media.origin });
const browser = await openBrowser(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium');
afterAll(async () => {
  await browser.close();
  media.close();
  folder.remove();
});

const schemes = ['cenc', 'cbcs'] as const;
type Scheme = (typeof schemes)[number];
const contents: Record<Scheme, string> = { cenc: unique('film'), cbcs: unique('film') };

beforeAll(async () => {
  const film = join(folder.path, 'film.mp4');
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=25:duration=${seconds}`];
  const sound = ['-f', 'lavfi', '-i', `sine=sample_rate=48000:duration=${seconds}`];
  const coding = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '50',
    '-c:a',
    'aac',
  ];
  await run(process.env.FFMPEG_PATH ?? 'ffmpeg', [
    '-loglevel',
    'error',
    ...picture,
    ...sound,
    ...coding,
    film,
  ]);
  for (const scheme of schemes) {
    const out = join(folder.path, contents[scheme]);
    const what = [film, '--scheme', scheme, '--content-id', contents[scheme], '--out', out];
    const command = join(repositoryFolder, 'cli/src/main.ts');
    await run(process.execPath, [command, 'encrypt', ...what, '--server', server.url, '--register'], {
      // Its node_modules has Shaka Packager.
      cwd: join(repositoryFolder, 'tests'),
      env: { PATH: '', LATCHKEY_API_KEY: server.adminApiKey },
    });
  }
});

interface Seen {
  errors: string[];
  ended: boolean;
  failed: boolean;
  currentTime: number;
  pictures: number;
}

interface Playing {
  player: string;
  scheme: Scheme;
  headers: Record<string, string>;
  file?: string;
}

/** Plays in a new page until the film ends or playback fails. */
async function play({ player, scheme, headers, file = 'manifest.mpd' }: Playing): Promise<Seen> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(`${media.origin}/clear-key.html`);
  await page.waitForFunction('window.play');
  const url = `${media.origin}/${contents[scheme]}/${file}`;
  await page.evaluate(`window.play(${JSON.stringify({ player, url, headers })})`);
  await page
    .waitForFunction('window.seen().ended || window.seen().failed', undefined, { timeout: 60_000 })
    .catch(async (error) => {
      throw new Error(`not at its end: ${JSON.stringify(await page.evaluate('window.seen()'))}`, {
        cause: error,
      });
    });
  return page.evaluate('window.seen()');
}

/** A viewer of one film, with a lease. */
async function makeViewer(scheme: Scheme) {
  const viewerId = unique('viewer');
  const contentId = contents[scheme];
  const token = viewerToken(server.jwtSecret, viewerId, { content_ids: [contentId] });
  const leaseId = await createLease(server, { token, contentId });
  return { viewerId, leaseId, headers: { Authorization: `Bearer ${token}`, 'X-Lease-Id': leaseId } };
}

/** The distinct answers to the licence requests of a viewer. */
async function licensesOf(viewerId: string): Promise<string[]> {
  // A line is written after its answer, so the line of one more request comes last.
  const { requestId } = await server.client.get('/health');
  await vi.waitFor(() =>
    expect(readLines(server.process).some((line) => line.requestId === requestId)).toBe(true),
  );
  const isLicense = ({ method, path, principal }: ReturnType<typeof readLines>[number]) =>
    method === 'POST' && path.startsWith('/licenses/') && principal?.id === viewerId;
  const lines = readLines(server.process).filter(isLicense) as KeyRequest[];
  return [...new Set(lines.map(({ status, code }) => (code ? `${status} ${code}` : `${status}`)))];
}

const isWhole = { ended: true, failed: false, errors: [] };

describe.each(['shaka', 'dashjs'])('%s', (player) => {
  it(`${player} plays DASH with cenc to the end, and cannot start again after a revocation`, async () => {
    const { viewerId, leaseId, headers } = await makeViewer('cenc');
    const seen = await play({ player, scheme: 'cenc', headers });
    expect(seen).toMatchObject(isWhole);
    expect(seen.currentTime).toBeGreaterThan(seconds - 0.5);
    expect(seen.pictures).toBeGreaterThan(seconds);
    expect(await licensesOf(viewerId)).toEqual(['200']);

    await revokeLeases(server, { leaseId });
    await oncePropagated(server, async () => {
      const again = await play({ player, scheme: 'cenc', headers });
      expect([again.failed, again.pictures]).toEqual([true, 0]);
    });
    expect(await licensesOf(viewerId)).toContain('403 LEASE_REVOKED');
  });

  it(`${player} plays DASH with cbcs to the end`, async () => {
    const { headers } = await makeViewer('cbcs');
    const seen = await play({ player, scheme: 'cbcs', headers });
    expect(seen).toMatchObject(isWhole);
    expect(seen.pictures).toBeGreaterThan(seconds);
  });
});

it('Shaka Player plays the HLS playlists of the same files to the end', async () => {
  const { headers } = await makeViewer('cbcs');
  expect(await play({ player: 'shaka', scheme: 'cbcs', headers, file: 'master.m3u8' })).toMatchObject(
    isWhole,
  );
});

it('the media server gets no token', () => {
  expect(media.requests.length).toBeGreaterThan(10);
  expect(media.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
});
