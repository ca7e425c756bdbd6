import { join } from 'node:path';
import { startSingleNodeProcess } from '@latchkey/support/processes/single-node';
import type { S3Server } from '@latchkey/support/stores/s3-server';

export interface KeyServerOptions {
  /** Holds the database, the secrets and the log of the server. */
  readonly folder: string;
  /** May call the server from a browser. */
  readonly pageOrigin: string;
  readonly adminApiKey: string;
  readonly tokenSecret: string;
  readonly store: S3Server;
  readonly signal: AbortSignal;
}

export interface KeyServerProcess {
  /** Without a slash at its end. */
  readonly url: string;
  /** Rejects when the process has ended, because nothing works without it. */
  readonly failed: Promise<never>;
}

/** The server gives its requests ten seconds to end. */
const stopTimeoutMs = 15_000;
/** Renewals come at 75 % of it, so two of them can be seen in a minute. */
const leaseSeconds = 40;

/**
 * Starts the single node as a process on a free port. It makes its own master key, and always ends with this process.
 *
 * @param stack stops it
 * @throws Error with the output of the server, if it does not start
 */
export async function startKeyServer(
  stack: AsyncDisposableStack,
  options: KeyServerOptions,
): Promise<KeyServerProcess> {
  const { folder, signal } = options;
  const logFile = join(folder, 'server.log');
  const { PATH, HOME } = process.env;
  const server = startSingleNodeProcess({ folder, env: { PATH, HOME, ...settings(options) }, logFile });
  let isStopping = false;
  stack.defer(async () => {
    isStopping = true;
    server.kill('SIGTERM');
    const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs);
    await server.ended();
    clearTimeout(timer);
  });
  const url = await server.listens(signal);
  const failed = server.ended().then(() => {
    if (isStopping || signal.aborted) return new Promise<never>(() => {});
    throw new Error('the key server ended');
  });
  failed.catch(() => {});
  return { url, failed };
}

function settings({ folder, pageOrigin, adminApiKey, tokenSecret, store }: KeyServerOptions) {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
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
    // Uploads: docs/start/uploads.md.
    ENABLE_PRESIGN: 'true',
    S3_ENDPOINT: store.endpoint,
    S3_FORCE_PATH_STYLE: 'true',
    S3_BUCKET: store.bucket,
    S3_REGION: store.region,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
}
