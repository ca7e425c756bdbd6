import { join } from 'node:path';
import { startSingleNodeProcess } from '@latchkey/support/processes/single-node';

export interface KeyServerOptions {
  /** Holds the database, the secrets and the log of the server. */
  readonly folder: string;
  /** 0 for a free one. */
  readonly port: number;
  /** May call the server from a browser. */
  readonly pageOrigin: string;
  readonly adminApiKey: string;
  readonly tokenSecret: string;
  /** Further variables of the server. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The server gets only PATH and HOME from it. A DATABASE_URL there is not meant for a demonstration. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

export interface KeyServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly logFile: string;
  /** Resolves when the process has ended and its log is written. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** The server gives its requests ten seconds to end. */
const stopTimeoutMs = 15_000;
/** Renewals come at 75 % of it, so two of them can be seen in a minute. */
const leaseSeconds = 40;

/**
 * Starts the single node as a process. It makes its own master key on the first run and keeps it in `folder`. It always ends
 * with this process.
 *
 * @throws Error with the output of the server, if it does not start
 */
export async function startKeyServer(options: KeyServerOptions): Promise<KeyServer> {
  const logFile = join(options.folder, 'server.log');
  const { folder, env, variables, signal } = options;
  const server = startSingleNodeProcess({
    folder,
    env: { PATH: env.PATH, HOME: env.HOME, ...settings(options), ...variables },
    logFile,
  });
  const ended = server.ended().then(() => {});
  const stop = async () => {
    server.kill('SIGTERM');
    const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  };
  try {
    return { url: await server.listens(signal), logFile, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Waits for Ctrl-C.
 *
 * @param server undefined if the key server was given
 * @throws Error if the key server ends before
 */
export async function untilStopped(signal: AbortSignal, server: KeyServer | undefined): Promise<void> {
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  if (signal.aborted) return;
  const ended = server?.ended.then(() => {
    // Ctrl-C in a terminal also reaches the key server, which may end first.
    if (!signal.aborted) throw new Error(`the key server ended; its log is ${server.logFile}`);
  });
  await Promise.race([stopped, ...(ended ? [ended] : [])]);
}

function settings({ folder, port, pageOrigin, adminApiKey, tokenSecret }: KeyServerOptions) {
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: '0',
    SQLITE_PATH: join(folder, 'latchkey.db'),
    ADMIN_API_KEY: adminApiKey,
    AUTH_JWT_SECRET: tokenSecret,
    // All runs on one clock, so a viewer can watch again right after a revocation, without waiting for the tolerance.
    AUTH_JWT_CLOCK_TOLERANCE_SECONDS: '0',
    CORS_ORIGINS: pageOrigin,
    // Each key request must name a lease.
    LEASE_MODE: 'required',
    LEASE_TTL_SECONDS: String(leaseSeconds),
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
}
