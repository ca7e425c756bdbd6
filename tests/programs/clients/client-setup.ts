import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { type EncryptedVideo, encryptVideo } from '@latchkey/support/playback/encrypt-video';
import { type KeyRequest, readKeyRequests } from '@latchkey/support/playback/key-requests';
import { viewerToken } from '@latchkey/support/tokens';
import { makeVideo } from '@latchkey/support/video/make-video';
import { afterAll } from 'vitest';
import { type FilmRequest, type FilmServer, startFilmServer } from './film-server.ts';
import { addIFrames } from './make-i-frames.ts';
import { makeTwoMaps } from './make-two-maps.ts';

/** `twoMaps` is fMP4 without sound, with a break and a second initialization section in its middle. */
export type Container = 'ts' | 'fmp4' | 'twoMaps';

/** A film with three epochs, and a viewer who may watch it. */
export interface Screening extends EncryptedVideo {
  readonly token: string;
  /** Of the playlist for a player that sends the token itself. */
  readonly url: string;
  /** Of the playlist before the encryption. */
  readonly clearUrl: string;
  /** Of the playlist with the token written into the key URLs. */
  readonly urlWithToken: string;
  /** Of the playlist that sets the token as a cookie. */
  readonly urlWithCookie: string;
}

/** The requests while a player ran. */
interface Watched<Result> {
  readonly result: Result;
  readonly keys: readonly KeyRequest[];
  readonly files: readonly FilmRequest[];
}

export interface ClientSetup {
  readonly films: FilmServer;
  /** A folder for what a test writes. */
  readonly folder: string;
  screen(container: Container): Promise<Screening>;
  watch<Result>(screening: Screening, play: () => Promise<Result>): Promise<Watched<Result>>;
  /** Makes key requests until the rate limit leaves the viewer only `left` of them in this minute. */
  spendKeyRequests(screening: Screening, left: number): Promise<void>;
}

/** Six segments of two seconds: three epochs of two. */
export const seconds = 12;
const rotateEvery = 2;
/** 25 a second, in each rendition. */
export const pictures = 25 * seconds;
export const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const fileOf = (module: string, name: string) =>
  join(dirname(fileURLToPath(import.meta.resolve(module))), name);

/** A key server that takes tokens from all three places, a server of films, and pages with players. */
export async function openClientSetup(settings: Readonly<Record<string, string>> = {}): Promise<ClientSetup> {
  const folder = makeFolder();
  const films = await startFilmServer(folder.path, {
    '/players.html': pathOf('players.html'),
    '/players.js': pathOf('players.js'),
    '/hls.mjs': fileOf('hls.js', 'hls.min.mjs'),
    '/shaka-player.js': fileOf('shaka-player', 'shaka-player.compiled.js'),
    '/video.js': fileOf('video.js', 'video.min.js'),
  });
  afterAll(() => {
    films.close();
    folder.remove();
  });
  const VIEWER_TOKEN_FROM = 'header,query,cookie';
  const [server, clear] = await Promise.all([
    startServer({ VIEWER_TOKEN_FROM, CORS_ORIGINS: films.origin, ...settings }),
    makeFilm(join(folder.path, 'clear')),
  ]);
  // Encrypted once: each test has its own viewer, and looks only at the requests while it ran.
  const encrypted = new Map<Container, Promise<EncryptedVideo>>();
  const ownFolder = join(folder.path, 'own');
  mkdirSync(ownFolder);
  return {
    films,
    folder: ownFolder,
    async screen(container) {
      const encryption =
        encrypted.get(container) ?? encryptVideo(server, clear[container], folder.path, rotateEvery);
      encrypted.set(container, encryption);
      const video = await encryption;
      const token = viewerToken(server.jwtSecret, unique('viewer'), { content_ids: [video.contentId] });
      const url = `${films.origin}/${video.name}/master.m3u8`;
      const urlWithToken = `${url}?access_token=${token}`;
      const urlWithCookie = `${url}?cookie=${token}`;
      const clearUrl = films.origin + clear[container].slice(folder.path.length);
      return { ...video, token, url, clearUrl, urlWithToken, urlWithCookie };
    },
    async watch({ contentId, name }, play) {
      const keysBefore = (await readKeyRequests(server, contentId)).length;
      const filesBefore = films.requests.length;
      const result = await play();
      const keys = (await readKeyRequests(server, contentId)).slice(keysBefore);
      const isOfFilm = ({ path }: FilmRequest) => path.startsWith(`/${name}/`);
      return { result, keys, files: films.requests.slice(filesBefore).filter(isOfFilm) };
    },
    async spendKeyRequests({ contentId, token }, left) {
      for (;;) {
        const { headers } = await server.client.get(`/keys/${contentId}/0`, token);
        const remaining = /r=(\d+)/.exec(headers.ratelimit ?? '')?.[1];
        if (remaining === undefined) throw new Error('the server counts no key requests');
        if (Number(remaining) <= left) return;
      }
    },
  };
}

/** Small pictures, because the decoder is not what is tested. */
async function makeFilm(folder: string): Promise<Record<Container, string>> {
  const scene = {
    picture: `testsrc2=size=320x180:rate=25:duration=${seconds}`,
    sound: `sine=frequency=440:sample_rate=48000:duration=${seconds}`,
    renditions: [{ size: '320x180', bitrate: '200k' }],
  };
  const made = await makeVideo({ ffmpeg, folder, seconds, scene });
  await addIFrames(ffmpeg, made.fmp4, seconds);
  return { ...made, twoMaps: makeTwoMaps(made.fmp4, join(folder, 'two-maps')) };
}

/** Where a key request had its token, as far as the log shows it: header and cookie look the same there. */
export const tokenPlaceOf = ({ path }: KeyRequest): 'query' | 'header or cookie' =>
  path.includes('access_token=***') ? 'query' : 'header or cookie';

/** Whether a request for a film's file had a credential, which only the key server should receive. */
export const showsToken = ({ headers }: FilmRequest): boolean => headers.authorization !== undefined;
