import type { openBrowser } from '@latchkey/support/open-browser';

export type Browser = Awaited<ReturnType<typeof openBrowser>>;
export type Page = Awaited<ReturnType<Browser['newPage']>>;

/** A lease, a key and two segments on a busy machine. */
const timeoutMs = 60_000;

/** Signs in on the first page. */
export async function signInAs(page: Page, origin: string, name: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole('button', { name }).click();
  await waitForStatus(page, `Signed in as ${name}.`);
}

/** Opens the player's page and presses Play. */
export async function pressPlay(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/player/`);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
}

/** @param seconds of the video to wait for */
export async function waitForPlayback(page: Page, seconds: number): Promise<void> {
  const reached = `new Promise((resolve) => {
    const video = document.getElementById('video');
    const look = () => video.currentTime > ${seconds} && resolve(true);
    video.addEventListener('timeupdate', look);
    look();
    setTimeout(() => resolve(false), ${timeoutMs});
  })`;
  if (await page.evaluate(reached)) return;
  throw new Error(`it does not play: the page says "${await page.locator('#status').textContent()}"`);
}

/** Opens the page that uploads, picks a folder and presses Upload. */
export async function pressUpload(page: Page, origin: string, folder: string): Promise<void> {
  await page.goto(`${origin}/upload/`);
  await waitForStatus(page, 'Pick a folder.');
  await page.getByLabel('Folder').setInputFiles(folder);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
}

/** Waits until the status has this text. @throws Error with the text that it has */
export async function waitForStatus(page: Page, words: string): Promise<void> {
  try {
    await page.locator('#status', { hasText: words }).waitFor({ timeout: timeoutMs });
  } catch (cause) {
    const said = await page.locator('#status').textContent();
    throw new Error(`${page.url()} says "${said}" instead of "${words}"`, { cause });
  }
}

/** Waits until one of the eight figures, which the page shows twice a second, is above zero. */
export async function waitForFigure(page: Page, name: string): Promise<void> {
  await page.locator(`[data-figure="${name}"]`, { hasText: /[1-9]/ }).waitFor({ timeout: timeoutMs });
}

/** Collects, from now on, requests to other origins, violations of the page's policy, and its errors. */
export function watchForForeign(page: Page, origins: readonly string[]): string[] {
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !origins.includes(origin))
      complaints.push(`asked for ${request.url()}`);
  });
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}
