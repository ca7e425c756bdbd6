import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { viewerToken } from '@latchkey/support/tokens';
import { tokenSecret } from '../stack/secrets.ts';
import { type Channel, type ChannelKind, startChannel, waitOnAir } from './channel.ts';
import { createDecrypter } from './decrypt.ts';
import { type KeyServer, startKeyServer } from './key-server.ts';
import { type MediaServer, startMediaServer } from './media-server.ts';
import { startOwnTime } from './own-time.ts';
import {
  buildPlayer,
  openPlayersPage,
  type PlayersPage,
  type PlayOptions,
  pageFiles,
} from './play-in-page.ts';
import { playInProgram } from './play-in-program.ts';
import { type PageKind, type PagePlayer, type Player, programKinds } from './player.ts';
import { type ChannelWatch, watchChannel } from './watch-channel.ts';

/** The programs of this machine. */
export interface LivePrograms {
  readonly ffmpeg: string;
  readonly mpv: string;
  readonly chromium: string;
  /** PATH and HOME. */
  readonly env: NodeJS.ProcessEnv;
}

/** A channel, and what looks at its files. */
export interface Staged {
  readonly channel: Channel;
  readonly watch: ChannelWatch;
}

/** The key server, the channels and the media server. */
export interface Studio {
  readonly server: KeyServer;
  stage(contentId: string, kind: ChannelKind): Promise<Staged>;
  /** Starts players in the page. */
  playInPage(staged: Staged, kinds: readonly PageKind[]): Promise<PagePlayer[]>;
  /** Starts hls.js with the packager's own playlist, in the clear. */
  playInTheClear(staged: Staged): Promise<PagePlayer>;
  /** Starts ffmpeg and mpv. */
  playInPrograms(staged: Staged): Promise<Player[]>;
  stop(): Promise<void>;
}

/** The shortest period that docs/live.md recommends for segments of 2 s. */
export const periodSeconds = 10;
const beginLimitMs = 60_000;

export async function openStudio(
  { folder, logFolder }: { folder: string; logFolder: string },
  programs: LivePrograms,
): Promise<Studio> {
  const folders = new Map([['player', await buildPlayer(folder)]]);
  const media: MediaServer = await startMediaServer(folders, pageFiles);
  const staged: Staged[] = [];
  const running: Player[] = [];
  const time = startOwnTime();
  let page: PlayersPage | undefined;
  const server = await startKeyServer({ folder, logFolder, origin: media.origin, periodSeconds });
  const urls = { media: media.origin, keys: server.url };
  const decrypt = createDecrypter(viewerToken(tokenSecret, 'checker'), programs.env);

  return {
    server,
    async stage(contentId, kind) {
      await server.register(contentId);
      const { ffmpeg, env } = programs;
      const names = { ffmpeg, serverUrl: server.url, periodSeconds };
      const channel = startChannel(contentId, kind, { folder, names, apiKey: server.packagerKey, env });
      folders.set(contentId, channel.folder);
      const watch = watchChannel(channel, decrypt);
      const made = { channel, watch };
      staged.push(made);
      await waitOnAir(channel, watch.count);
      return made;
    },
    async playInPage(its, kinds) {
      page ??= await openPlayersPage(programs.chromium, media.origin);
      const started: PagePlayer[] = [];
      for (const kind of kinds) started.push(await page.play(kind, optionsOf(its, kind, urls)));
      await waitBegun(started);
      return started;
    },
    async playInTheClear({ channel }) {
      page ??= await openPlayersPage(programs.chromium, media.origin);
      // Under a name that no player of the channel is given.
      folders.set('in-the-clear', channel.clearFolder);
      const { contentId } = channel;
      const url = `${media.origin}/in-the-clear/live.m3u8`;
      const none = { token: '', viewerId: '', contentId, keyServerUrl: server.url };
      const player = await page.play('hls.js', { name: 'hls.js in the clear', url, ...none });
      await waitBegun([player]);
      return player;
    },
    async playInPrograms(its) {
      const started: Player[] = [];
      for (const kind of programKinds)
        started.push(await playInProgram(kind, optionsOf(its, kind, urls), { ...programs, folder, time }));
      running.push(...started);
      await waitBegun(started);
      return started;
    },
    async stop() {
      await Promise.all(running.map((player) => player.end()));
      await page?.close();
      await Promise.all(staged.map(({ channel }) => channel.end()));
      await Promise.all(staged.map(({ watch }) => watch.finish()));
      await server.stop();
      media.close();
      time.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A player with a viewer of its own. */
function optionsOf({ channel }: Staged, kind: string, urls: { media: string; keys: string }): PlayOptions {
  const { contentId, playlistName } = channel;
  const viewerId = `${kind.replace(/\W+/g, '-')}-${contentId}`;
  const token = viewerToken(tokenSecret, viewerId);
  const url = `${urls.media}/${contentId}/${playlistName}`;
  return { name: `${kind} of ${contentId}`, url, token, viewerId, contentId, keyServerUrl: urls.keys };
}

async function waitBegun(players: readonly Player[]): Promise<void> {
  const limitMs = performance.now() + beginLimitMs;
  for (const player of players) {
    for (;;) {
      const { wallSeconds, errors } = await player.read();
      if (wallSeconds > 0) break;
      if (performance.now() > limitMs)
        throw new Error(`${player.name} shows no picture: ${errors.join(', ')}`);
      await sleep(100);
    }
  }
}
