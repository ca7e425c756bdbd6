import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openBrowser } from '@latchkey/support/open-browser';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Browser,
  checkDemo,
  choose,
  openPage,
  readDescription,
  signIn,
  uploadFolder,
  waitForPlayback,
  waitForStatus,
} from './check-demo.ts';

vi.setConfig({ testTimeout: 240_000 });
const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

let demo: ReturnType<typeof startDemo>;
let browser: Browser;
let printed: ReturnType<typeof readDescription>;

/** Starts the demonstration as its reader does, on a free port. */
function startDemo() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), '--port', '0']);
  let output = '';
  const { promise: started, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ctrl-C stops')) resolve(output);
    });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  ended.then(() => reject(new Error(`the demonstration ended. It wrote:\n${output}`)));
  started.catch(() => {});
  return { child, started, ended };
}

beforeAll(async () => {
  demo = startDemo();
  browser = await openBrowser(chromium);
  printed = readDescription(await demo.started);
}, 240_000);
afterAll(async () => {
  demo.child.kill('SIGKILL');
  await browser.close();
});

async function openAs(login: string) {
  const { page } = await openPage(browser);
  onTestFinished(() => page.context().close());
  await signIn(page, printed.origin, login);
  return page;
}

it('a viewer plays a film and the live channel, and an administrator revokes, which stops the film, uploads another and plays it', async () => {
  // As `npm run demo -- --check` does.
  await checkDemo({ description: await demo.started }, chromium);
});

it('the pages work with keyboard and screen reader, light and dark, and 390 pixels wide', async () => {
  const { page: login } = await openPage(browser);
  onTestFinished(() => login.context().close());
  await login.goto(printed.origin);
  await inspectPage(login, 'example-login');
  const [viewer, admin] = [await openAs(printed.viewer), await openAs(printed.admin)];
  await choose(viewer, 'The live channel');
  await waitForPlayback(viewer, 1);
  await inspectPage(viewer, 'example-watch');
  await admin.getByRole('button', { name: 'Revoke ben watching The live channel' }).last().waitFor();
  await uploadFolder(admin, printed.folder, 'Matinee');
  await inspectPage(admin, 'example-studio');
});

it('a film that is not for subscribers is refused to a viewer who has its address', async () => {
  const admin = await openAs(printed.admin);
  await admin.getByLabel('Subscribers may watch it').uncheck();
  await uploadFolder(admin, printed.folder, 'Rough cut');
  const viewer = await openAs(printed.viewer);
  await viewer.goto(`${printed.origin}/?film=matinee`);
  await waitForStatus(viewer, 'This film is not part of what you may watch.');
  expect(await viewer.getByRole('button', { name: 'Play', exact: true }).isDisabled()).toBe(true);
});

it('the player says in words that the key server does not answer', async () => {
  const viewer = await openAs(printed.viewer);
  await viewer.route('**/keys/**', (route) => route.abort());
  await choose(viewer, 'A film under lease');
  await waitForStatus(viewer, 'The key server does not answer. Trying again in');
});

it('a wrong password and a folder that is not encrypted are refused in words', async () => {
  const { page } = await openPage(browser);
  onTestFinished(() => page.context().close());
  await page.goto(printed.origin);
  await page.getByLabel('Name').fill('ben');
  await page.getByLabel('Password').fill('guess');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await waitForStatus(page, 'This name and this password do not belong together.');
  const admin = await openAs(printed.admin);
  await admin.getByLabel('Folder').setInputFiles(join(import.meta.dirname, '../application'));
  await waitForStatus(admin, 'The folder has no playlist at its top.', '#upload-status');
});

it('the demonstration serves until it is interrupted, and leaves nothing on its ports', async () => {
  const urls = new Set((await demo.started).match(/http:\/\/127\.0\.0\.1:\d+/g));
  expect(urls.size).toBe(2);
  demo.child.kill('SIGINT');
  expect(await demo.ended).toBe(0);
  for (const url of urls) await expect(fetch(url)).rejects.toThrow();
});
