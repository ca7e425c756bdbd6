import { join } from 'node:path';
import { startSingleNodeProcess } from '@latchkey/rig/processes/single-node';

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
  /** The server gets PATH and HOME of it. A DATABASE_URL there is not meant for a demonstration. */
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
