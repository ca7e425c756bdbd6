import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@latchkey/support/find-free-port';
import { createLatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import { singleNodeEntry } from '@latchkey/support/stack/topology';
import { createManagement, demand, type Management } from '../client/management.ts';
import { adminKey, keyMaterial, tokenSecret } from '../stack/secrets.ts';
import { startTcpProxy } from '../stack/tcp-proxy.ts';

/** A single node on SQLite, with one operator. */
export interface KeyServer {
  readonly url: string;
  readonly management: Management;
  /** Of scope `packager`. */
  readonly packagerKey: string;
  /** Registers content whose key changes by the clock. */
  register(contentId: string): Promise<void>;
  currentEpoch(): number;
  /** The end of the current period, in milliseconds since 1970. */
  periodEnd(): number;
  /**
   * For this time nobody reaches the server: connections break, and later ones are refused. A restart would take as long as the
   * machine is busy.
   */
  outage(ms: number): Promise<void>;
  stop(): Promise<void>;
}

interface KeyServerOptions {
  /** For the database. */
  readonly folder: string;
  readonly logFolder: string;
  /** Of the page with players. */
  readonly origin: string;
  readonly periodSeconds: number;
}

export async function startKeyServer(options: KeyServerOptions): Promise<KeyServer> {
  const { folder, logFolder, origin, periodSeconds } = options;
  const [port, nobodysPort] = [await findFreePort(), await findFreePort()];
  const proxy = await startTcpProxy(port);
  const url = `http://127.0.0.1:${proxy.port}`;
  const server = createLatchkeyProcess({
    name: 'latchkey',
    entry: singleNodeEntry,
    port,
    folder,
    env: {
      ...keyMaterial,
      HOME: folder,
      NODE_ENV: 'production',
      SQLITE_PATH: join(folder, 'latchkey.db'),
      ADMIN_API_KEY: adminKey,
      AUTH_JWT_SECRET: tokenSecret,
      PUBLIC_URL: url,
      CORS_ORIGINS: origin,
      SHUTDOWN_DRAIN_SECONDS: '0',
    },
    output: { logFile: join(logFolder, 'latchkey.log') },
  });
  server.start();
  await server.waitReady();
  const management = createManagement(() => url, adminKey);
  const made = await demand(
    management.call('POST', '/api/v1/api-keys', { name: 'encoder', scope: 'packager' }),
  );
  const firstMs = Date.now();
  const periodMs = periodSeconds * 1_000;
  return {
    url,
    management,
    packagerKey: made.raw_key,
    async register(id) {
      const keyPeriods = { mode: 'clock', origin: new Date(firstMs).toISOString(), periodSeconds };
      await demand(management.call('POST', '/api/v1/content', { id, name: id, keyPeriods }));
    },
    currentEpoch: () => Math.floor((Date.now() - firstMs) / periodMs),
    periodEnd: () => Date.now() + periodMs - ((Date.now() - firstMs) % periodMs),
    async outage(ms) {
      proxy.leadTo(nobodysPort);
      await sleep(ms);
      proxy.leadTo(port);
    },
    async stop() {
      await server.end('SIGKILL');
      await proxy.close();
    },
  };
}
