import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CleanUps } from '../src/clean-ups.ts';
import { encryptVideo } from '../src/encrypt-video.ts';
import { prepareVideo } from '../src/prepare-video.ts';
import { presentations, segmentsOfPeriod } from '../src/presentations.ts';
import { showProgress } from '../src/progress.ts';
import { type KeyServer, startKeyServer } from '../src/start-key-server.ts';
import { checkDemo } from './check-demo.ts';
import { createDemoApi } from './demo-api.ts';
import type { DemoOptions } from './demo-options.ts';
import { type PageServer, startPageServer } from './page-server.ts';

export interface RunDemoOptions {
  readonly options: DemoOptions;
  readonly ffmpeg: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the demonstration. */
  readonly signal: AbortSignal;
  /** Gets whatever was begun here and has to be ended. */
  readonly cleanUps: CleanUps;
  readonly terminal: NodeJS.WriteStream;
}

const root = join(import.meta.dirname, '../..');
const cacheFolder = join(root, '.cache', 'demo');

/**
 * Prepares video, key server and page, and serves until `signal`; with `check` only until everything has answered.
 *
 * @throws Error that says what did not work
 */
export async function runDemo({
  options,
  ffmpeg,
  env,
  signal,
  cleanUps,
  terminal,
}: RunDemoOptions): Promise<void> {
  const progress = showProgress(terminal);
  // The ports first: nobody should wait for a video to hear that one of them is taken.
  const page = await openPort(options.port);
  cleanUps.add(page.close);
  const folder = makeStateFolder(options.port, cleanUps);
  const secrets = { adminApiKey: `lk_${hex32()}`, tokenSecret: hex32() };

  const starting = progress.start('Starting the key server');
  const serverPort = options.port === 0 ? 0 : options.port + 1;
  const place = { folder, port: serverPort, pageOrigin: page.origin };
  const server = await startKeyServer({ ...place, ...secrets, env, signal });
  cleanUps.add(server.stop);
  starting.done();

  const video = await prepareVideo({ ffmpeg, seconds: options.seconds, cacheFolder, progress, signal });
  const videoFolder = join(folder, 'encrypted');
  mkdirSync(videoFolder, { recursive: true });
  const keys = { serverUrl: server.url, apiKey: secrets.adminApiKey };
  for (const presentation of presentations) {
    const playlist = video[presentation.id];
    await encryptVideo({ presentation, playlist, folder: videoFolder, ...keys, progress, env, signal });
  }
  const api = createDemoApi({ ...keys, tokenSecret: secrets.tokenSecret, seconds: options.seconds });
  page.open({ api, serverUrl: server.url, videoFolder });

  if (options.check) {
    await checkDemo({ pageOrigin: page.origin, serverUrl: server.url });
    terminal.write('demo: ok\n');
    return;
  }
  terminal.write(describe(page, server, secrets.adminApiKey));
  await untilOver(server, signal);
  terminal.write('\nStopping.\n');
}

function hex32(): string {
  return randomBytes(32).toString('hex');
}

async function openPort(port: number): Promise<PageServer> {
  try {
    return await startPageServer(port);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    throw new Error(`port ${port} is taken; --port names another`, { cause });
  }
}

/** Database, secrets and encrypted video. They outlive the run, unless the ports are free ones, which nobody asks for twice. */
function makeStateFolder(port: number, cleanUps: CleanUps): string {
  mkdirSync(cacheFolder, { recursive: true });
  if (port === 0) {
    const folder = mkdtempSync(join(cacheFolder, 'once-'));
    cleanUps.add(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }
  const folder = join(cacheFolder, `port-${port}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function untilOver(server: KeyServer, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  if (signal.aborted) return;
  const ended = server.ended.then(() => {
    // Ctrl-C in a terminal reaches the key server, too, which may be the faster one.
    if (!signal.aborted) throw new Error(`the key server ended; its log is ${server.logFile}`);
  });
  await Promise.race([stopped, ended]);
}

function describe(page: PageServer, server: KeyServer, apiKey: string): string {
  return `
Watch it:          ${page.origin}
Key server:        ${server.url}   (dashboard: ${server.url}/admin)
API key:           ${apiKey}   (for this run)
Its request log:   ${relative(process.cwd(), server.logFile)}

Each packaging was encrypted with a command such as
  LATCHKEY_API_KEY=lk_… npx latchkey encrypt video/master.m3u8 --content-id ${presentations[0].contentId} --out encrypted \\
    --server ${server.url} --rotate-every ${segmentsOfPeriod}

Ctrl-C stops the page and the key server.
`;
}
