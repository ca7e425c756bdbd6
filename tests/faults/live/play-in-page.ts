import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openBrowser } from '@latchkey/support/open-browser';
import { repositoryFolder } from '@latchkey/support/repository';
import type { PageKind, PagePlayer } from './player.ts';

export interface PlayOptions {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly viewerId: string;
  readonly contentId: string;
  readonly keyServerUrl: string;
}

/** One page in Chromium. All its players are in the foreground: a page in the background has slow timers. */
export interface PlayersPage {
  play(kind: PageKind, options: PlayOptions): Promise<PagePlayer>;
  close(): Promise<void>;
}

const pathOf = (name: string) => join(import.meta.dirname, name);
const beside = (module: string, name: string) =>
  join(dirname(fileURLToPath(import.meta.resolve(module))), name);

/** The files of the page by their paths. */
export const pageFiles = {
  '/players.html': pathOf('players.html'),
  '/players.js': pathOf('players.js'),
  '/hls.mjs': beside('hls.js', 'hls.min.mjs'),
  '/shaka-player.js': beside('shaka-player', 'shaka-player.compiled.js'),
};

/** Builds @latchkey/player as it is published. @returns its folder */
export async function buildPlayer(folder: string): Promise<string> {
  const out = join(folder, 'player');
  await promisify(execFile)(process.execPath, [join(repositoryFolder, 'sdk/player/build.ts'), out]);
  return out;
}

/** @param origin of the server with `pageFiles` */
export async function openPlayersPage(chromium: string, origin: string): Promise<PlayersPage> {
  const browser = await openBrowser(chromium);
  const page = await browser.newPage();
  await page.goto(`${origin}/players.html`);
  await page.waitForFunction('window.start');
  return {
    async play(kind, options) {
      const { name, token, viewerId, contentId } = options;
      await page.evaluate(`window.start(${JSON.stringify({ ...options, kind })})`);
      const quoted = JSON.stringify(name);
      return {
        ...{ name, kind, viewerId, contentId, token },
        read: () => page.evaluate(`window.read(${quoted})`),
        end: () => page.evaluate(`window.end(${quoted})`),
      };
    },
    close: () => browser.close(),
  };
}
