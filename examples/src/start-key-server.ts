import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

export interface KeyServerOptions {
  /** Holds the database, the secrets and the log of the server. */
  readonly folder: string;
  /** 0: a free one. */
  readonly port: number;
  /** May call the server from a browser. */
  readonly pageOrigin: string;
  readonly adminApiKey: string;
  readonly tokenSecret: string;
  /** Further variables of the server. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Of whoever starts it. The server is given PATH and HOME of it: a DATABASE_URL there is not meant for a demonstration. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

export interface KeyServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly logFile: string;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const entryFile = fileURLToPath(new URL('../../gateway/src/single-node.ts', import.meta.url));
const listening = /serves on (http:\/\/[^\s"]+)/;
/** A start takes a second; this is for a machine that is busy. */
const startTimeoutMs = 60_000;
/** The server gives its requests ten seconds to end. */
const stopTimeoutMs = 15_000;
/** Renewals come at 75 % of it: one sees two of them in a minute. */
const leaseSeconds = 40;

/**
 * Starts the single node as a process. It makes its own master key on the first run and keeps it in `folder`. It ends
 * when this process does, killed or not.
 *
 * @throws Error with what the server wrote, where it does not start
 */
export async function startKeyServer(options: KeyServerOptions): Promise<KeyServer> {
  const logFile = join(options.folder, 'server.log');
  const log = createWriteStream(logFile);
  const child = spawn(process.execPath, [entryFile], {
    cwd: options.folder,
    env: { PATH: options.env.PATH, HOME: options.env.HOME, ...settings(options), ...options.variables },
    // The channel is how the server learns that whoever started it is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
    log.end();
    return finished(log);
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  };
  try {
    return { url: await waitForUrl(child, options.signal), logFile, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function settings({ folder, port, pageOrigin, adminApiKey, tokenSecret }: KeyServerOptions) {
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: '0',
    SQLITE_PATH: join(folder, 'latchkey.db'),
    ADMIN_API_KEY: adminApiKey,
    AUTH_JWT_SECRET: tokenSecret,
    // One machine, one clock: a viewer who was revoked and decides to watch again need not wait for clocks that differ.
    AUTH_JWT_CLOCK_TOLERANCE_SECONDS: '0',
    CORS_ORIGINS: pageOrigin,
    // Every key request names the lease that it is made under.
    LEASE_MODE: 'required',
    LEASE_TTL_SECONDS: String(leaseSeconds),
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
}

function waitForUrl(child: ChildProcess, signal?: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let written = '';
  const fail = () => reject(new Error(`The key server did not start. It wrote:\n${written.trim()}`));
  const interrupt = () => reject(signal?.reason);
  const timer = setTimeout(fail, startTimeoutMs);
  const look = (text: Buffer) => {
    written += text.toString('utf8');
    const url = listening.exec(written)?.[1];
    if (url !== undefined) resolve(url);
  };
  child.stderr?.on('data', look);
  child.once('close', fail);
  child.once('error', reject);
  if (signal?.aborted) interrupt();
  signal?.addEventListener('abort', interrupt);
  return promise.finally(() => {
    clearTimeout(timer);
    child.stderr?.off('data', look);
    child.off('close', fail);
    signal?.removeEventListener('abort', interrupt);
  });
}
