import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { type OwnServer, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { encryptVideo } from '@latchkey/support/playback/encrypt-video';
import { type OpenedSession, openSession, setPlaylist } from '@latchkey/support/playback/open-session';
import { viewerToken } from '@latchkey/support/tokens';
import { makeVideo } from '@latchkey/support/video/make-video';
import { afterAll } from 'vitest';
import { type ChannelServer, startChannelServer } from './channel-server.ts';
import { ffmpeg, seconds } from './client-setup.ts';
import { startFrontProxy } from './front-proxy.ts';

export type SessionContainer = 'ts' | 'fmp4';

/** A session of a viewer for one film. */
export interface SessionScreening extends OpenedSession {
  readonly contentId: string;
  readonly channel: string;
}

export interface SessionStage {
  readonly server: OwnServer;
  readonly media: ChannelServer;
  /** A folder for what a test writes. */
  readonly folder: string;
  /** @param kind `endless` is a live channel that goes on after its last segment, without another one */
  screen(container: SessionContainer, kind: 'film' | 'live' | 'endless'): Promise<SessionScreening>;
}

/**
 * A key server that lists no page, and a server of films, each with a new key every two segments.
 *
 * @param pages further files of the media server, by path
 */
export async function openSessionStage(pages: Readonly<Record<string, string>> = {}): Promise<SessionStage> {
  const folder = makeFolder();
  const ownFolder = join(folder.path, 'own');
  mkdirSync(ownFolder);
  const [media, proxy] = await Promise.all([startChannelServer(folder.path, pages), startFrontProxy()]);
  afterAll(() => {
    media.close();
    proxy.close();
    folder.remove();
  });
  const [server, clear] = await Promise.all([
    startServer({ PUBLIC_URL: proxy.origin, PLAYLIST_ORIGINS: media.origin }),
    makeVideo({ ffmpeg, folder: join(folder.path, 'clear'), seconds, scene }),
  ]);
  proxy.leadTo(server.url);
  const encrypted = new Map<SessionContainer, Promise<string>>();
  const encrypt = async (container: SessionContainer) =>
    (await encryptVideo(server, clear[container], folder.path, 2, proxy.origin)).contentId;
  return {
    server,
    media,
    folder: ownFolder,
    async screen(container, kind) {
      const encryption = encrypted.get(container) ?? encrypt(container);
      encrypted.set(container, encryption);
      const contentId = await encryption;
      const channel = unique('channel');
      const base = kind === 'film' ? '' : media.open(channel, kind === 'live');
      await setPlaylist(server, contentId, `${media.origin}${base}/${contentId}/master.m3u8`);
      const token = viewerToken(server.jwtSecret, unique('viewer'), { content_ids: [contentId] });
      return { contentId, channel, ...(await openSession(server, { token, contentId })) };
    },
  };
}

/** Small pictures, because the decoder is not what is tested. */
const scene = {
  picture: `testsrc2=size=320x180:rate=25:duration=${seconds}`,
  sound: `sine=frequency=440:sample_rate=48000:duration=${seconds}`,
  renditions: [{ size: '320x180', bitrate: '200k' }],
};
