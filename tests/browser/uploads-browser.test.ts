import { execFileSync } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@latchkey/support/black-box/eventually';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { openSharedBrowser } from '@latchkey/support/black-box/shared-browser';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { openUploadGate } from '@latchkey/support/black-box/upload-gate';
import { uploadSettings } from '@latchkey/support/black-box/upload-settings';
import { hashOfFile, mixedSizes, readObject, writeSource } from '@latchkey/support/black-box/upload-source';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import { startS3Server } from '@latchkey/support/stores/s3-server';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { afterAll, expect, it, onTestFinished } from 'vitest';

// The package as it is published, in Chromium. The page, the key server and the store have three different origins.
const page = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = makeFolder();
execFileSync(process.execPath, [page('../../sdk/uploader/build-package.ts'), join(folder.path, 'uploader')], {
  stdio: 'inherit',
});
const pages = await startMediaServer(folder.path, {
  '/upload-page.html': page('upload-page.html'),
  '/upload-page.js': page('upload-page.js'),
});
let aheadMs = 0;
const store = await startS3Server({ now: () => Date.now() + aheadMs });
/** How many more acknowledgements reach the page. */
let passing = Number.POSITIVE_INFINITY;
let held = Promise.withResolvers<void>();
const gate = await openUploadGate(store.endpoint, async ({ method, status }) => {
  if (status === 403) aheadMs = 0;
  if (method === 'PUT' && status === 200 && --passing < 0) await held.promise;
});

/** Holds back acknowledgements after `count` of them. @returns a function that releases them */
function holdAfter(count: number): () => void {
  passing = count;
  held = Promise.withResolvers();
  const letThrough = () => {
    passing = Number.POSITIVE_INFINITY;
    held.resolve();
  };
  onTestFinished(letThrough);
  return letThrough;
}
// Its own, because its store and the origin of the pages are of this file.
const server = await startSingleNode({
  ...uploadSettings({ ...store, endpoint: gate.endpoint }),
  CORS_ORIGINS: pages.origin,
});
async function makeSource(name: string, sizes: number[]) {
  const path = join(folder.path, name);
  return { path, files: await writeSource(path, sizes) };
}
/** Among them is one file of 64 MiB. */
const mixed = await makeSource('mixed', mixedSizes(40));
const small = await makeSource('small', mixedSizes(7));
type Source = typeof small;
// Its own: the shared one gets copies of files, which do not change.
const browser = await openSharedBrowser();
afterAll(async () => {
  pages.close();
  gate.close();
  await store.close();
  folder.remove();
});

interface State {
  loaded: number[];
  filesDone: number;
  totalBytes: number;
  result: {
    complete: boolean;
    files: { path: string; status: string; etag?: string; code?: string }[];
  } | null;
}

/** Opens a page whose user has tokens for uploads to one content. */
async function openPage() {
  const contentId = await registerContent(server);
  const tab = await browser.newPage();
  onTestFinished(() => tab.close());
  const tokens: string[] = [];
  await tab.exposeFunction('giveToken', () => {
    const token = viewerToken(server.jwtSecret, unique('author'), {
      scope: 'upload',
      content_ids: [contentId],
    });
    tokens.push(token);
    return token;
  });
  return { tab, contentId, tokens };
}

/** Picks the folder and begins. */
async function begin(tab: Page, contentId: string, source: Source): Promise<void> {
  await tab.goto(`${pages.origin}/upload-page.html`);
  await tab.waitForFunction('window.start');
  await tab.setInputFiles('input', source.path);
  await tab.evaluate(`window.start(${JSON.stringify({ contentId, keyServerUrl: server.url })})`);
}

const stateOf = (tab: Page): Promise<State> => tab.evaluate('window.state');
const finish = (tab: Page) => tab.waitForFunction('window.state.result', undefined, { timeout: 60_000 });
const puts = (contentId: string, since = 0) =>
  gate.answers
    .slice(since)
    .filter(({ method, path, status }) => method === 'PUT' && status === 200 && path.includes(contentId))
    .map(({ path }) => path.split(`/content/${contentId}/`)[1] ?? '');

it('after a reload of the page half-way, an upload arrives byte for byte, and no acknowledged file is sent again', async () => {
  const { tab, contentId, tokens } = await openPage();
  const letThrough = holdAfter(20);
  await begin(tab, contentId, mixed);
  await tab.waitForFunction('window.state.filesDone === 20', undefined, { timeout: 60_000 });
  const first = await stateOf(tab);
  await tab.reload();
  letThrough();
  // Uploads under way ended with the page.
  const remembered: string[] = await tab.evaluate(
    "Object.keys(localStorage).map((name) => name.split(' content/')[1].replace(/^[^/]*\\//, ''))",
  );
  expect(remembered).toHaveLength(20);

  const seen = gate.answers.length;
  const asked = tokens.length;
  await begin(tab, contentId, mixed);
  await finish(tab);
  const second = await stateOf(tab);
  expect(second.result).toMatchObject({ complete: true });
  const left = mixed.files.filter((path) => !remembered.includes(path));
  const sent = puts(contentId, seen);
  expect(sent.filter((path) => remembered.includes(path))).toEqual([]);
  expect(sent.slice(-2)).toEqual(['video/index.m3u8', 'master.m3u8']);
  expect(
    second.result?.files
      .filter(({ status }) => status === 'uploaded')
      .map(({ path }) => path)
      .sort(),
  ).toEqual(left);
  expect(second.result?.files.every(({ etag }) => /^"[0-9a-f]{32}"$/.test(etag ?? ''))).toBe(true);
  expect(tokens.length - asked).toBe(left.length);
  for (const { loaded } of [first, second]) expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  expect(second.loaded.at(-1)).toBe(second.totalBytes);
  for (const path of mixed.files) {
    const { hash } = await readObject(`${store.endpoint}/${store.bucket}/content/${contentId}/${path}`);
    expect({ path, hash }).toEqual({ path, hash: await hashOfFile(join(mixed.path, path)) });
  }
});

it.skipIf(process.env.TEST_S3_ENDPOINT)('the uploader in a browser replaces an expired URL', async () => {
  const { tab, contentId } = await openPage();
  const seen = gate.answers.length;
  aheadMs = 301_000;
  await begin(tab, contentId, small);
  await finish(tab);
  expect((await stateOf(tab)).result?.complete).toBe(true);
  const statuses = gate.answers
    .slice(seen)
    .filter(({ method }) => method === 'PUT')
    .map(({ status }) => status);
  expect(statuses).toContain(403);
  expect(statuses.filter((status) => status === 200)).toHaveLength(small.files.length);
});

it('a file that changes before the store has acknowledged it fails with READ_FAILED, and the playlists that name it are held back', async () => {
  const { tab, contentId } = await openPage();
  const letThrough = holdAfter(0);
  await begin(tab, contentId, small);
  const changed = await eventually(() => {
    const [path] = puts(contentId);
    if (path === undefined) throw new Error('nothing has arrived');
    return path;
  });
  const kept = await readFile(join(small.path, changed));
  onTestFinished(() => writeFile(join(small.path, changed), kept));
  await appendFile(join(small.path, changed), 'more');
  letThrough();
  await finish(tab);
  const { result } = await stateOf(tab);
  const failed = result?.files.filter(({ status }) => status === 'failed') ?? [];
  expect(Object.fromEntries(failed.map(({ path, code }) => [path, code]))).toEqual({
    [changed]: 'READ_FAILED',
    'video/index.m3u8': 'NAMED_FILE_MISSING',
    'master.m3u8': 'NAMED_FILE_MISSING',
  });
});

it('an aborted upload stops, and its result lists the uploaded and the aborted files', async () => {
  const { tab, contentId } = await openPage();
  holdAfter(5);
  await begin(tab, contentId, small);
  await tab.waitForFunction('window.state.filesDone === 5', undefined, { timeout: 60_000 });
  await tab.evaluate('window.abortUpload()');
  await finish(tab);
  const { result } = await stateOf(tab);
  const done = result?.files.filter(({ status }) => status === 'uploaded') ?? [];
  const aborted = result?.files.filter(({ status }) => status === 'aborted') ?? [];
  expect(done).toHaveLength(5);
  expect(aborted).toHaveLength(small.files.length - 5);
  expect(puts(contentId)).toEqual(expect.arrayContaining(done.map(({ path }) => path)));
  expect(aborted.every(({ code }) => code === 'ABORTED')).toBe(true);
});
