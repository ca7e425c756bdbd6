import { spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { makeClone, runBlock } from '@latchkey/support/documents/run-block';
import { findFreePort } from '@latchkey/support/find-free-port';
import { openFirefox } from '@latchkey/support/open-firefox';
import { repositoryFolder } from '@latchkey/support/repository';
import { jwtVerify } from 'jose';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished, vi } from 'vitest';

const readme = readDocument('README.md');
const guide = readDocument('docs/start/integrate.md');
const blocks = readBlocks(guide);
const firstSteps = readBlocks(readme, 'Two commands');
const firefoxPath = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
vi.setConfig({ testTimeout: 300_000 });

const find = (language: string, words: string, among = blocks) => findBlock(among, language, words);

/** The differences from the documents: the ports, which may be taken on this machine, and the first key. */
interface Clone {
  readonly folder: string;
  readonly serverPort: number;
  readonly pagePort: number;
  readonly env: Record<string, string>;
}

async function openClone(): Promise<Clone> {
  const folder = makeTestFolder();
  makeClone(folder);
  symlinkSync(
    dirname(createRequire(import.meta.url).resolve('jose/package.json')),
    join(folder, 'node_modules/jose'),
  );
  const [serverPort, pagePort] = [await findFreePort(), await findFreePort()];
  const ffmpegFolder = dirname(process.env.FFMPEG_PATH ?? '/usr/bin/ffmpeg');
  const env = {
    PATH: `${process.env.PATH}:${ffmpegFolder}`,
    HOME: folder,
    HOST: '127.0.0.1',
    PORT: String(serverPort),
    METRICS_PORT: '0',
    SHUTDOWN_DRAIN_SECONDS: '0',
    // `npm start` works in the workspace's folder, which is not this one.
    SQLITE_PATH: join(folder, 'data/latchkey.db'),
  };
  return { folder, serverPort, pagePort, env };
}

function adapt(command: string, { serverPort, pagePort }: Clone): string {
  return command
    .replaceAll('localhost:4100', `localhost:${serverPort}`)
    .replaceAll(`127.0.0.1:${documentedPagePort}`, `127.0.0.1:${pagePort}`)
    .replace(/^npm run demo -- .*$/m, `$& --port ${pagePort}`);
}

const documentedPagePort = /CORS_ORIGINS=http:\/\/127\.0\.0\.1:(\d+) npm start/.exec(guide)?.[1] ?? '';

/** Runs a block to its end. @returns what it wrote @throws Error if a command fails */
async function run(text: string, clone: Clone): Promise<string> {
  // The raw key is already in the environment. This line of the document is for a reader.
  const command = adapt(text, clone).replace(/^export \w+=lk_….*$/m, '');
  return await runBlock(command, { cwd: clone.folder, env: clone.env });
}

/** Runs a block whose last command does not end by itself, until the test ends. Resolves with what it has written, once that has `until`. */
async function runOn(text: string, clone: Clone, until: RegExp): Promise<string> {
  const child = spawn('bash', ['-euc', adapt(text, clone)], {
    cwd: clone.folder,
    env: clone.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that npm and what it started end together.
    detached: true,
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM');
    await closed;
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk;
    });
  const look = () => {
    if (!until.test(written)) throw new Error(`"${text.trim()}" did not write ${until}, but:\n${written}`);
  };
  await vi.waitFor(look, { timeout: 120_000, interval: 100 });
  return written;
}

/** The token function of the guide, with this secret in the environment. */
async function importTokens(folder: string, secret: string) {
  const file = join(folder, `tokens-${Buffer.from(secret).toString('hex').slice(0, 16)}.mjs`);
  writeFileSync(file, find('js', 'export function viewerToken'));
  vi.stubEnv('AUTH_JWT_SECRET', secret);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { viewerToken } = await import(pathToFileURL(file).href);
  return viewerToken as (userId: string, contentId: string) => Promise<string>;
}

it.each([
  ['text', 'a secret as text, of more than 32 bytes', Buffer.from('a secret as text, of more than 32 bytes')],
  ['base64:', `base64:${Buffer.alloc(32, 7).toString('base64')}`, Buffer.alloc(32, 7)],
  // Only `base64:` at the start has a meaning.
  [
    'text that has base64: in it',
    `not-base64:${'x'.repeat(32)}`,
    Buffer.from(`not-base64:${'x'.repeat(32)}`),
  ],
])(
  'the tokens of the guide are signed with the bytes that the server reads from a secret: %s',
  async (_, secret, bytes) => {
    const viewerToken = await importTokens((await openClone()).folder, secret);
    const { payload } = await jwtVerify(await viewerToken('ada', 'film'), bytes, { algorithms: ['HS256'] });
    expect(payload).toMatchObject({ sub: 'ada', content_ids: ['film'], iat: expect.any(Number) });
  },
);

it('the guide names the package that is built, and the page’s port that `npm run demo -- --help` names', async () => {
  const { version } = JSON.parse(readFileSync(join(repositoryFolder, 'sdk/player/package.json'), 'utf8'));
  expect(guide).toContain(`latchkey-player-${version}.tgz`);
  const clone = await openClone();
  expect(
    await run('npm run --silent demo -- --help', { ...clone, pagePort: Number(documentedPagePort) }),
  ).toContain(`(default ${documentedPagePort};`);
});

async function openPage(): Promise<Page> {
  const firefox = await openFirefox(firefoxPath);
  onTestFinished(() => firefox.close());
  return firefox.newPage();
}

/** Named in the title, so that a run without Firefox reports what it has not tested. */
it.skipIf(!existsSync(firefoxPath))(
  'the commands of README and guide, run as they stand, lead to a film that plays in Firefox and stops when it is revoked',
  async () => {
    const clone = await openClone();
    await runOn(find('sh', 'npm start'), clone, /serves on /);
    const claimed = JSON.parse(await run(find('sh', '/api/v1/setup'), clone));
    clone.env.LATCHKEY_API_KEY = claimed.raw_key;

    clone.env.KEY = claimed.raw_key;
    const first = await run(find('sh', 'curl http://localhost:4100/keys/film -H', firstSteps), clone);
    expect(first).toContain('"key_endpoint":"/keys/film"');
    expect(first).toMatch(/(?: [0-9a-f]{2}){16}$/m);

    const encrypted = await run(find('sh', 'npx latchkey encrypt'), clone);
    expect(encrypted).toMatch(/Encrypted 30 segments of 1 rendition\(s\), .* 6 epochs\./);
    expect(encrypted).toContain('"code":"UNAUTHENTICATED"');

    const secret =
      /^AUTH_JWT_SECRET=(.*)$/m.exec(readFileSync(join(clone.folder, 'data/latchkey.env'), 'utf8'))?.[1] ??
      '';
    const viewerToken = await importTokens(clone.folder, secret);
    const authorization = `Bearer ${await viewerToken('ada', 'film')}`;
    const key = await fetch(`http://127.0.0.1:${clone.serverPort}/keys/film/0`, {
      headers: { authorization },
    });
    expect([key.status, (await key.arrayBuffer()).byteLength]).toEqual([200, 16]);

    const started = await runOn(find('sh', 'npm run demo'), clone, /Ctrl-C stops/);
    const [, password] = /ben \/ (\S+)/.exec(started) ?? [];
    const page = await openPage();
    const origin = `http://127.0.0.1:${clone.pagePort}`;
    const status = page.locator('#status');
    await page.goto(origin);
    await page.locator('#name:focus').fill('ben');
    await page.locator('#password').fill(password ?? '');
    await page.locator('button.primary').click();
    // The player's snippet, with the modules that the page has.
    await status.getByText('Ready.', { exact: true }).waitFor();
    const snippet = find('js', 'createPlayer(')
      .replace(/^import (.*) from ('.*');$/m, 'const $1 = await import($2);')
      .replace("'/video/", "'/media/");
    const tried = `(async () => { ${adapt(snippet, clone)} })().then(() => "plays", (error) => String(error))`;
    expect(await page.evaluate(tried)).toBe('plays');
    await page.waitForFunction('document.querySelector("video").currentTime > 1');

    await page.goto(origin);
    await page.locator('#play:enabled').click();
    await page.waitForFunction('document.getElementById("video").currentTime > 2');

    // Faster, so that the next key is requested soon.
    const revoking = find('sh', 'keys/leases/revoke');
    expect(await run(revoking, clone)).toMatch(/"viewerId":"ben".*"total_active":1.*"revoked":1,/s);
    await page.evaluate('void (document.getElementById("video").playbackRate = 4)');
    await status.getByText('LEASE_REVOKED').waitFor();
    expect(await page.evaluate('document.getElementById("video").paused')).toBe(true);
  },
);

it.skipIf(!existsSync(firefoxPath))(
  'Firefox opens every port that a page has in README and guide, and not the blocked 4190',
  async () => {
    const page = await openPage();
    await expect(page.goto('http://127.0.0.1:4190/')).rejects.toThrow('deniedPortAccess');
    const ports = new Set(
      [...`${readme}${guide}`.matchAll(/http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/g)].map(([, port]) => port),
    );
    expect([...ports]).toEqual(expect.arrayContaining(['4100', documentedPagePort]));
    for (const port of ports) {
      const said = await page.goto(`http://127.0.0.1:${port}/`).catch(String);
      expect(`${port}: ${said}`).not.toContain('deniedPortAccess');
    }
  },
);
