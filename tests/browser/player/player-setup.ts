import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { openSharedBrowser } from '@latchkey/support/black-box/shared-browser';
import { readShared, type Target } from '@latchkey/support/black-box/target';
import { openBrowser } from '@latchkey/support/open-browser';
import { type EncryptedVideo, encryptVideo } from '@latchkey/support/playback/encrypt-video';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import type { VideoLength } from '@latchkey/support/playback/shared-media';
import type { MadeVideo } from '@latchkey/support/video/make-video';
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';

/** The origin of pages, player and films. Names below `localhost` are secure contexts without TLS. */
export const pageOrigin = 'http://player.localhost';
/** The same pages at an origin that no server lists. */
export const unlistedOrigin = 'http://elsewhere.localhost';
export const keyServerUrl = 'http://keys.localhost';
/** The same server by another name, which is in no playlist. */
export const otherKeyServerUrl = 'http://other-keys.localhost';

/** Two epochs of two segments are 8 s. */
export const segmentSeconds = 2;
export interface Film extends EncryptedVideo {
  readonly playlist: string;
}

interface FilmOptions {
  readonly container?: 'ts' | 'fmp4';
  /** Segments of an epoch. */
  readonly rotateEvery?: number;
  /** Each rendition gets a content id of its own, and no rendition has the film's. */
  readonly perRenditionIds?: boolean;
  /** The server that has the keys. Default: the target. */
  readonly server?: Target;
}

/** A browser, pages, encrypted films, and a key server at another origin than theirs. */
export interface PlayerSetup {
  readonly target: Target;
  readonly browser: Browser;
  /** Base URL of the server of pages, player and films. */
  readonly mediaUrl: string;
  encrypt(options?: FilmOptions): Promise<Film>;
}

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const fileOf = (module: string, name: string) =>
  join(dirname(fileURLToPath(import.meta.resolve(module))), name);
/**
 * @param length of the films of this test file
 * @param opening a server that lists `pageOrigin` in its CORS_ORIGINS
 * @param program the browser, for tests that depend on how a window closes. Default: the shared one
 */
export async function openPlayerSetup(
  length: VideoLength,
  opening: Promise<Target>,
  program?: string,
): Promise<PlayerSetup> {
  const folder = makeFolder();
  const player = await readShared<string>('/player');
  const media = await startMediaServer(folder.path, {
    ...Object.fromEntries(readdirSync(player).map((name) => [`/player/${name}`, join(player, name)])),
    '/page.html': pathOf('page.html'),
    '/page.js': pathOf('page.js'),
    '/hls.mjs': fileOf('hls.js', 'hls.min.mjs'),
    '/shaka-player.js': fileOf('shaka-player', 'shaka-player.compiled.js'),
  });
  const [target, clear, browser] = await Promise.all([
    opening,
    readShared<MadeVideo>(`/videos/${length}`),
    program ? openBrowser(program) : openSharedBrowser(),
  ]);
  afterAll(async () => {
    if (program) await browser.close();
    media.close();
    folder.remove();
  });
  return {
    target,
    browser,
    mediaUrl: media.origin,
    async encrypt({ container = 'ts', rotateEvery = 2, server = target, perRenditionIds = false } = {}) {
      const more = perRenditionIds ? ['--per-rendition-ids'] : [];
      const film = await encryptVideo(server, clear[container], folder.path, rotateEvery, keyServerUrl, more);
      return { ...film, playlist: `/${film.name}/master.m3u8` };
    },
  };
}
