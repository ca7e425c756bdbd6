import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '@latchkey/support/open-browser';
import type { CleanUps } from './clean-ups.ts';
import {
  type Page,
  pressPlay,
  pressUpload,
  signInAs,
  waitForFigure,
  waitForPlayback,
  waitForStatus,
  watchForForeign,
} from './drive-pages.ts';
import { showProgress } from './progress.ts';
import type { Example } from './run-example.ts';

export interface CheckExampleOptions {
  readonly example: Example;
  readonly chromium: string;
  readonly cleanUps: CleanUps;
  readonly terminal: { write(text: string): unknown; isTTY?: boolean };
}

/** Longer than one segment, so that a second one was decrypted and shown. */
const playedSeconds = 3;

/**
 * Uses the pages as a user who may watch and upload, and as one who may not. It uploads nothing if the key server was given,
 * because that bucket belongs to somebody else.
 *
 * @throws Error that says what is wrong
 */
export async function checkExample(options: CheckExampleOptions): Promise<void> {
  const { example, chromium, cleanUps, terminal } = options;
  const progress = showProgress(terminal);
  const browser = await openBrowser(chromium);
  cleanUps.add(() => browser.close());
  const page = await browser.newPage();
  const { origin, keyServerUrl, storeUrl } = example;
  const known = [origin, keyServerUrl, ...(storeUrl === undefined ? [] : [storeUrl])];
  const complaints = watchForForeign(
    page,
    known.map((url) => new URL(url).origin),
  );
  async function take(title: string, work: () => Promise<void>) {
    const step = progress.start(title);
    await work();
    step.done();
  }
  await signInAs(page, origin, 'Ada');
  await take('Playing and stopping', () => checkPlayer(page, origin));
  if (example.own) await take('Uploading', () => checkUpload(page, example, cleanUps));
  await take('Refusing who may not', () => checkRefusal(page, origin));
  if (complaints.length > 0)
    throw new Error(`the pages made forbidden requests or failed:\n${complaints.join('\n')}`);
}

async function checkPlayer(page: Page, origin: string): Promise<void> {
  await pressPlay(page, origin);
  await waitForPlayback(page, playedSeconds);
  await page.getByRole('button', { name: 'Stop' }).click();
  await waitForStatus(page, 'Stopped. The lease is given back.');
  await waitForFigure(page, 'keyFetchCount');
}

async function checkUpload(page: Page, example: Example, cleanUps: CleanUps): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-example-upload-'));
  cleanUps.add(() => rmSync(folder, { recursive: true, force: true }));
  const files = makeFiles(folder);
  await pressUpload(page, example.origin, folder);
  await waitForStatus(page, `${files.size} uploaded, 0 there already`);
  await pressUpload(page, example.origin, folder);
  await waitForStatus(page, `0 uploaded, ${files.size} there already`);
  for (const [path, bytes] of files) await expectStored(example, path, bytes);
}

/** Writes a few files as an encoder makes them. @returns their bytes by path */
export function makeFiles(folder: string): Map<string, Buffer> {
  const files = new Map([
    ['master.m3u8', Buffer.from('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n720p/index.m3u8\n')],
    ['720p/index.m3u8', Buffer.from('#EXTM3U\n#EXTINF:2,\n1.ts\n#EXTINF:2,\n2.ts\n#EXT-X-ENDLIST\n')],
    ['720p/1.ts', Buffer.alloc(300_000, 'one')],
    ['720p/2.ts', Buffer.alloc(200_000, 'two')],
  ]);
  mkdirSync(join(folder, '720p'));
  for (const [path, bytes] of files) writeFileSync(join(folder, path), bytes);
  return files;
}

async function expectStored({ own, content }: Example, path: string, bytes: Buffer): Promise<void> {
  if (!own) return;
  const url = `${own.store.endpoint}/${own.store.bucket}/content/${content.contentId}/${path}`;
  const response = await fetch(url);
  // Your own bucket need not allow public reads. It has acknowledged the uploads, which is enough.
  if (response.status === 403) return;
  if (!response.ok || !bytes.equals(Buffer.from(await response.arrayBuffer())))
    throw new Error(`${url} is not what was uploaded (${response.status})`);
}

async function checkRefusal(page: Page, origin: string): Promise<void> {
  await signInAs(page, origin, 'Cleo');
  await pressPlay(page, origin);
  await waitForStatus(page, 'CONTENT_NOT_ENTITLED');
}
