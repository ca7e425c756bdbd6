import type Hls from 'hls.js';
import { vi } from 'vitest';
import { createPlayer, type Player } from '../player.ts';
import type { PlayerError } from '../player-error.ts';
import type { PlayerOptions } from '../player-options.ts';
import { asVideo, FakeHls, FakeVideo } from './fake-browser.ts';
import { createFakeKeyServer, type FakeKeyServer } from './fake-key-server.ts';

export const playlist = 'https://cdn.example/film/master.m3u8';

/** A page with a video, before a key server. */
export interface PlayerScene {
  readonly fake: FakeKeyServer;
  readonly video: FakeVideo;
  /** Errors of all players, in their order. */
  readonly errors: PlayerError[];
  open(options?: Partial<PlayerOptions>): { player: Player; hls: FakeHls };
  /** Dispatches an event of the page. */
  leave(event: string, members?: object): void;
}

/** The page's events come from `leave` until `vi.unstubAllGlobals()`. */
export function createPlayerScene(): PlayerScene {
  const fake = createFakeKeyServer();
  const video = new FakeVideo();
  const page = new EventTarget();
  const errors: PlayerError[] = [];
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  return {
    fake,
    video,
    errors,
    open(options = {}) {
      const Fake = FakeHls as unknown as typeof Hls;
      const player = createPlayer({ ...fake.options, video: asVideo(video), Hls: Fake, ...options });
      player.on('error', (error) => errors.push(error));
      return { player, hls: player.hls as unknown as FakeHls };
    },
    leave: (event, members = {}) => void page.dispatchEvent(Object.assign(new Event(event), members)),
  };
}

/** Loads a playlist until it is read. */
export async function load(player: Player, contentId = 'film'): Promise<void> {
  const loaded = player.load(playlist, { contentId });
  (player.hls as unknown as FakeHls).trigger('MANIFEST_PARSED');
  await loaded;
}
