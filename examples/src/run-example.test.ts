import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openBrowser } from '@latchkey/support/open-browser';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkExample, makeFiles } from './check-example.ts';
import { createCleanUps } from './clean-ups.ts';
import {
  type Browser,
  pressPlay,
  pressUpload,
  signInAs,
  waitForPlayback,
  waitForStatus,
} from './drive-pages.ts';
import { readOptions } from './example-options.ts';
import { type Example, startExample } from './run-example.ts';

vi.setConfig({ testTimeout: 240_000 });
const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const ffmpeg = process.env.FFMPEG_PATH ?? '/usr/bin/ffmpeg';

describe('the pages', () => {
  const cleanUps = createCleanUps((error) => expect.unreachable(String(error)));
  let example: Example;
  let browser: Browser;

  beforeAll(async () => {
    const given = { ffmpeg, env: {}, signal: new AbortController().signal, terminal: { write: () => {} } };
    // The option --check makes a short video.
    example = await startExample({ ...given, options: readOptions(['--check']), cleanUps });
    browser = await openBrowser(chromium);
    cleanUps.add(() => browser.close());
  }, 240_000);
  afterAll(() => cleanUps.run());

  async function openPage() {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await signInAs(page, example.origin, 'Ada');
    return page;
  }

  it('the example passes its own check: its pages play, stop, upload, and refuse who may not', async () => {
    // As `npm run example -- --check` does.
    const checked = createCleanUps((error) => expect.unreachable(String(error)));
    onTestFinished(() => checked.run());
    await checkExample({ example, chromium, cleanUps: checked, terminal: { write: () => {} } });
  });

  it('the pages work with keyboard and screen reader, light and dark, and 390 pixels wide', async () => {
    const page = await openPage();
    await inspectPage(page, 'example-sign-in');
    await pressPlay(page, example.origin);
    await waitForPlayback(page, 1);
    await inspectPage(page, 'example-player');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-example-upload-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { size } = makeFiles(folder);
    await pressUpload(page, example.origin, folder);
    await waitForStatus(page, `${size} uploaded, 0 there already`);
    await inspectPage(page, 'example-upload');
  });

  it('the player page says in words that the key server does not answer', async () => {
    const page = await openPage();
    await page.route(`${example.keyServerUrl}/**`, (route) => route.abort());
    await pressPlay(page, example.origin);
    await waitForStatus(page, 'The key server does not answer. Trying again in');
  });

  it('the upload page says in words that the user may not upload', async () => {
    const page = await openPage();
    await signInAs(page, example.origin, 'Ben');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-example-upload-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    makeFiles(folder);
    await pressUpload(page, example.origin, folder);
    await waitForStatus(page, 'Ben may not do this.');
  });

  it('the pages have a policy that allows no other origin than the key server and the bucket', async () => {
    const { headers } = await fetch(`${example.origin}/player/`);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`connect-src 'self' ${example.keyServerUrl} ${example.storeUrl};`);
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it.each([
    '/token-server/users.ts',
    '/site/../token-server/users.ts',
    '/package.json',
    '/video/../server.log',
  ])('the site answers %s with 404', async (path) =>
    expect((await fetch(example.origin + path)).status).toBe(404),
  );
});
