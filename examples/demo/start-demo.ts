import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@latchkey/support/find-free-port';
import { runCli } from '@latchkey/support/processes/run-cli';
import { startS3Server } from '@latchkey/support/stores/s3-server';
import { segmentSeconds } from '@latchkey/support/video/make-video';
import { createApplication } from '../application/application.ts';
import { createTokenIssuer } from '../application/issue-tokens.ts';
import { createKeyServer } from '../application/key-server.ts';
import { createLibrary, type Film } from '../application/library.ts';
import { createSessions } from '../application/sessions.ts';
import type { DemoOptions, GivenServer } from './demo-options.ts';
import { startChannel } from './live-channel.ts';
import { makeFilm } from './make-film.ts';
import { startKeyServer } from './start-key-server.ts';

export interface StartDemoOptions {
  readonly options: DemoOptions;
  readonly ffmpeg: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stops everything. */
  readonly stack: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

export interface Demo {
  /** The addresses and the logins, for a reader. */
  readonly description: string;
  /** Rejects when the demonstration cannot go on. */
  readonly failed: Promise<never>;
}

/** The key server and the films that the application needs. */
interface Backend {
  readonly keyServerUrl: string;
  readonly tokenSecret: string;
  readonly apiKey: string;
  readonly films: readonly Film[];
  readonly uploadsUrl: string | undefined;
  readonly mediaFolder: string;
  /** An encrypted film that is not in the bucket yet. */
  readonly folderToUpload: string | undefined;
  readonly failed: Promise<never>;
}

/** Segments of a key period: few enough to see keys change, and a revocation take effect, within the film. */
const segmentsOfPeriod = 5;
const periodSeconds = segmentsOfPeriod * segmentSeconds;
/** Six key periods. */
const filmSeconds = 60;
const sdkFolder = join(import.meta.dirname, '../../sdk');

const forSubscribers = { isForSubscribers: true, isPublished: true };

/**
 * Starts a key server, a bucket, a film and a live channel, unless they are given, and the application.
 *
 * @throws Error that reports what failed
 */
export async function startDemo(given: StartDemoOptions): Promise<Demo> {
  const { options, env, stack, signal } = given;
  const port = options.port === 0 ? await findFreePort() : options.port;
  await expectFree(port);
  const origin = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-demo-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const packagesFolder = join(folder, 'packages');
  await take('Building player and uploader', () => buildPackages(packagesFolder));
  signal.throwIfAborted();
  const backend = options.server
    ? useBackend(options.server, env)
    : await startBackend(given, folder, origin);

  const accounts = [
    { id: 'ben', name: 'Ben', password: makePassword(), isAdmin: false },
    { id: 'ada', name: 'Ada', password: makePassword(), isAdmin: true },
  ];
  const application = createApplication({
    ...{ ...backend, origin, packagesFolder },
    sessions: createSessions(accounts),
    library: createLibrary(backend.films),
    issuer: createTokenIssuer(backend.tokenSecret),
    keyServer: createKeyServer(backend.keyServerUrl, backend.apiKey),
  });
  stack.defer(() => application.close());
  await application.listen({ host: '127.0.0.1', port });
  return { description: describe(origin, accounts, backend), failed: backend.failed };
}

async function startBackend(
  { ffmpeg, stack, signal }: StartDemoOptions,
  folder: string,
  origin: string,
): Promise<Backend> {
  const [apiKey, tokenSecret] = [`lk_${hex32()}`, hex32()];
  const store = await startS3Server();
  stack.defer(store.close);
  const server = await take('Starting the key server', () =>
    startKeyServer(stack, { folder, pageOrigin: origin, adminApiKey: apiKey, tokenSecret, store, signal }),
  );
  const film = { ffmpeg, seconds: filmSeconds, periodSeconds, signal };
  const clear = await take(`Making ${filmSeconds} seconds of film`, () => makeFilm(film));
  const encrypt = (contentId: string, ...more: string[]) => {
    const target = ['--content-id', contentId, '--out', join(folder, contentId)];
    const keys = ['--server', server.url, '--register', '--rotate-every', String(segmentsOfPeriod)];
    return runCli(['encrypt', clear, ...target, ...keys, ...more], { LATCHKEY_API_KEY: apiKey });
  };
  await take('Encrypting it into the bucket', () => encrypt('film', '--upload'));
  await take('Encrypting a second one, for you to upload', () => encrypt('matinee'));
  signal.throwIfAborted();
  const mediaFolder = join(folder, 'media');
  const place = { clearFolder: join(folder, 'clear'), outFolder: join(mediaFolder, 'live') };
  const channel = { ffmpeg, contentId: 'live', keyServerUrl: server.url, apiKey, periodSeconds, signal };
  mkdirSync(mediaFolder);
  await take('Starting the live channel', () => startChannel(stack, { ...channel, ...place }));
  const uploadsUrl = `${store.endpoint}/${store.bucket}`;
  return {
    ...{ keyServerUrl: server.url, tokenSecret, apiKey, uploadsUrl, mediaFolder, failed: server.failed },
    films: [
      {
        contentId: 'film',
        title: 'A film under lease',
        playlist: `${uploadsUrl}/content/film/master.m3u8`,
        isLive: false,
      },
      { contentId: 'live', title: 'The live channel', playlist: '/media/live/live.m3u8', isLive: true },
    ].map((one) => ({ ...one, ...forSubscribers })),
    folderToUpload: join(folder, 'matinee'),
  };
}

/** @throws Error if a variable or the playlist is missing */
function useBackend({ url, contentId, playlistFile }: GivenServer, env: StartDemoOptions['env']): Backend {
  const need = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`${name} is not set: --server needs it`);
    return value;
  };
  if (!existsSync(playlistFile)) throw new Error(`--video "${playlistFile}" does not exist`);
  const film = { contentId, title: contentId, playlist: `/media/${basename(playlistFile)}`, isLive: false };
  return {
    keyServerUrl: url,
    tokenSecret: need('AUTH_JWT_SECRET'),
    apiKey: need('LATCHKEY_API_KEY'),
    films: [{ ...film, ...forSubscribers }],
    uploadsUrl: undefined,
    mediaFolder: dirname(resolve(playlistFile)),
    folderToUpload: undefined,
    failed: new Promise<never>(() => {}),
  };
}

function describe(
  origin: string,
  accounts: readonly { id: string; password: string }[],
  backend: Backend,
): string {
  const [viewer, admin] = accounts.map(({ id, password }) => `${id} / ${password}`);
  const { keyServerUrl, apiKey, folderToUpload } = backend;
  const own = folderToUpload
    ? `A folder to upload:  ${folderToUpload}\nKey server:          ${keyServerUrl}/admin   with the API key ${apiKey}\n`
    : `Key server:          ${keyServerUrl}/admin\n`;
  return `
Watch:               ${origin}/          as a viewer: ${viewer}
Manage and revoke:   ${origin}/studio    as an administrator: ${admin}   (in a private window: both have one cookie)
${own}
Ctrl-C stops everything.`;
}

/** Builds the browser packages as they are published, into `player/` and `uploader/`. A bundler would take them from node_modules. */
async function buildPackages(folder: string): Promise<void> {
  const builds = [
    [join(sdkFolder, 'player/build.ts'), join(folder, 'player')],
    [join(sdkFolder, 'uploader/build-package.ts'), join(folder, 'uploader')],
  ];
  await Promise.all(builds.map((args) => promisify(execFile)(process.execPath, args)));
}

/** Shows a step, and how long it took. */
async function take<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  process.stdout.write(`${title}… `);
  const value = await work();
  process.stdout.write(`${((performance.now() - startMs) / 1_000).toFixed(1)} s\n`);
  return value;
}

/** A port that is taken should be reported before the film is made. */
async function expectFree(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((done, reject) => {
    server.once('error', () => reject(new Error(`port ${port} is taken: choose another with --port`)));
    server.listen(port, '127.0.0.1', () => server.close(() => done()));
  });
}

const hex32 = () => randomBytes(32).toString('hex');
const makePassword = () => randomBytes(6).toString('base64url');
