import { openBrowser } from '@latchkey/support/open-browser';

export type Browser = Awaited<ReturnType<typeof openBrowser>>;
export type Page = Awaited<ReturnType<Browser['newPage']>>;

/** The output of the demonstration. */
export interface Printed {
  /** The addresses and the logins. */
  readonly description: string;
}

/** Longer than one segment, so that a second one was decrypted and shown. */
const playedSeconds = 3;
/** A lease, a key and two segments on a busy machine. */
const timeoutMs = 60_000;

/** The addresses, the logins and the folder, out of the text that a reader gets. */
export function readDescription(description: string) {
  const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(description) ?? [];
  const [viewer = ''] = /ben \/ \S+/.exec(description) ?? [];
  const [admin = ''] = /ada \/ \S+/.exec(description) ?? [];
  const [, folder = ''] = /A folder to upload: +(\S+)/.exec(description) ?? [];
  return { origin, viewer, admin, folder };
}

/**
 * Uses the demonstration as its reader would: a viewer plays, an administrator revokes, uploads a film and plays it, and the
 * viewer plays the live channel.
 *
 * @throws Error that reports what is wrong
 */
export async function checkDemo({ description }: Printed, chromium: string): Promise<void> {
  const browser = await openBrowser(chromium);
  try {
    const { origin, viewer, admin, folder } = readDescription(description);
    const [watching, managing] = [await openPage(browser), await openPage(browser)];
    await signIn(watching.page, origin, viewer);
    await signIn(managing.page, origin, admin);
    await choose(watching.page, 'A film under lease');
    await waitForPlayback(watching.page, playedSeconds);
    await revokeFrom(managing.page, 'Revoke ben watching A film under lease');
    await waitForStatus(watching.page, 'LEASE_REVOKED');
    if (!(await watching.page.evaluate('document.getElementById("video").paused')))
      throw new Error('the film goes on after the revocation');
    await uploadFolder(managing.page, folder, 'Matinee');
    await managing.page.getByRole('link', { name: 'Watch Matinee' }).click();
    await managing.page.getByRole('button', { name: 'Play', exact: true }).click();
    await waitForPlayback(managing.page, playedSeconds);
    await choose(watching.page, 'The live channel');
    await waitForPlayback(watching.page, playedSeconds);
    const complaints = [...watching.complaints, ...managing.complaints];
    if (complaints.length > 0) throw new Error(`the pages failed:\n${complaints.join('\n')}`);
  } finally {
    await browser.close();
  }
}

/** A page with cookies of its own. Its complaints are violations of its policy, and errors that nobody caught. */
export async function openPage(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext()).newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints };
}

/** @param login a name and a password, as they are printed */
export async function signIn(page: Page, origin: string, login: string): Promise<void> {
  const [name = '', password = ''] = login.split(' / ');
  await page.goto(origin);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor({ timeout: timeoutMs });
}

export async function choose(page: Page, film: string): Promise<void> {
  await page.getByRole('button', { name: film }).click();
}

/** @param seconds to be played from now on, or from the start of a film */
export async function waitForPlayback(page: Page, seconds: number): Promise<void> {
  const reached = `new Promise((resolve) => {
    const video = document.getElementById('video');
    let playedSeconds = 0;
    let before;
    const look = () => {
      if (before !== undefined && video.currentTime > before) playedSeconds += Math.min(video.currentTime - before, 1);
      before = video.currentTime;
      if (playedSeconds > ${seconds}) resolve(true);
    };
    video.addEventListener('timeupdate', look);
    setTimeout(() => resolve(false), ${timeoutMs});
  })`;
  if (await page.evaluate(reached)) return;
  throw new Error(`it does not play: the page says "${await page.locator('#status').textContent()}"`);
}

/** Waits until the status has this text. @throws Error with the text that it has */
export async function waitForStatus(page: Page, words: string, status = '#status'): Promise<void> {
  try {
    await page.locator(status, { hasText: words }).waitFor({ timeout: timeoutMs });
  } catch (cause) {
    throw new Error(
      `${page.url()} says "${await page.locator(status).textContent()}" instead of "${words}"`,
      { cause },
    );
  }
}

async function revokeFrom(studio: Page, button: string): Promise<void> {
  await studio.getByRole('button', { name: button }).click({ timeout: timeoutMs });
  await waitForStatus(studio, 'Revoked: ben gets no further key of A film under lease.');
}

/** Picks a folder in the studio, gives it a title and uploads it. */
export async function uploadFolder(studio: Page, folder: string, title: string): Promise<void> {
  await studio.getByLabel('Folder').setInputFiles(folder);
  await studio.getByLabel('Title').fill(title);
  await studio.getByRole('button', { name: 'Upload', exact: true }).click();
  await waitForStatus(studio, 'The film is in the library', '#upload-status');
}
