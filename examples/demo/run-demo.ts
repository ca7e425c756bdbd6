import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CleanUps } from '../src/clean-ups.ts';
import { encryptVideo } from '../src/encrypt-video.ts';
import { prepareVideo } from '../src/prepare-video.ts';
import { presentations, segmentsOfPeriod } from '../src/presentations.ts';
import { showProgress } from '../src/progress.ts';
import { type KeyServer, startKeyServer, untilStopped } from '../src/start-key-server.ts';
import { checkDemo } from './check-demo.ts';
import { createDemoApi } from './demo-api.ts';
import type { DemoOptions } from './demo-options.ts';
import { startChannel } from './live-channel.ts';
import { type PageServer, startPageServer } from './page-server.ts';

export interface RunDemoOptions {
  readonly options: DemoOptions;
  readonly ffmpeg: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the demonstration. */
  readonly signal: AbortSignal;
  /** Receives everything that must be stopped at the end. */
  readonly cleanUps: CleanUps;
  readonly terminal: NodeJS.WriteStream;
}

const root = join(import.meta.dirname, '../..');
const cacheFolder = join(root, '.cache', 'demo');

/**
 * Prepares video, key server and page, and serves until `signal`. With `check` it checks the answers and ends.
 *
 * @throws Error that says what failed
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
  // The port comes first: a port that is taken should be reported before the video is made.
  const page = await startPageServer(options.port);
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
  const keyFolder = join(folder, 'channel-keys');
  const channel = await startChannel({ ...keys, ffmpeg, videoFolder, keyFolder, env, progress, signal });
  cleanUps.add(channel.stop);
  const api = createDemoApi({ ...keys, tokenSecret: secrets.tokenSecret, seconds: options.seconds });
  page.open({ api, serverUrl: server.url, videoFolder });

  if (options.check) {
    await checkDemo({ pageOrigin: page.origin, serverUrl: server.url });
    terminal.write('demo: ok\n');
    return;
  }
  terminal.write(describe(page, server, secrets.adminApiKey));
  await untilStopped(signal, server);
  terminal.write('\nStopping.\n');
}

function hex32(): string {
  return randomBytes(32).toString('hex');
}

/** The folder of the database, the secrets and the encrypted video. Later runs on the same port use it again. */
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
