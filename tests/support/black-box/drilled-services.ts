import { onTestFinished } from 'vitest';
import type { LatchkeyProcess } from '../processes/latchkey-process.ts';
import { type DatabaseRoles, describeDatabaseRoles } from '../stack/database-roles.ts';
import { createDistributedProfile, makeProfileSecrets } from '../stack/distributed-profile.ts';
import { startOwnRedis } from '../stores/own-stores.ts';
import { readApiDocument } from './api-document.ts';
import { createClient } from './client.ts';
import type { Target } from './target.ts';

/** Separate services whose database a test loses and restores. */
export interface DrilledServices {
  target: Target;
  roles: DatabaseRoles;
  /** The processes with rows of their own. The documents stop them before a restore; the others go on. */
  owners: readonly LatchkeyProcess[];
  /** The request log so far. */
  log(): string;
}

/**
 * Starts separate services with a Redis of their own, and migrates their database. Both are stopped after the test.
 *
 * @param url of a database that is empty
 * @param prefix of the names of its roles
 */
export async function startDrilledServices(url: string, prefix: string): Promise<DrilledServices> {
  const roles = describeDatabaseRoles(url, prefix);
  const redis = await startOwnRedis();
  const secrets = makeProfileSecrets();
  let log = '';
  const { all, processes } = await createDistributedProfile({
    stores: { postgres: url, redis: redis.url },
    roles,
    secrets,
    replicas: { auth: 1, content: 1, leases: 1, 'key-derivation': 1, playback: 1, gateway: 1 },
    settings: { LOG_LEVEL: 'info', SHUTDOWN_DRAIN_SECONDS: '0' },
    outputOf: (from) => (_name, stream, text) => {
      if (stream === 'stdout' && from.startsWith('gateway')) log += text;
    },
  });
  onTestFinished(async () => {
    await Promise.all(all.map((process) => process.end('SIGKILL')));
    await redis.stop();
  });
  const gateway = processes.gateway[0] as LatchkeyProcess;
  const behind = all.filter((process) => process !== gateway);
  for (const process of behind) process.start();
  await roles.migrate();
  await Promise.all(behind.map((process) => process.waitReady()));
  // It starts last: it would count services that do not answer yet as unresponsive.
  gateway.start();
  await gateway.waitReady();
  const target: Target = {
    url: gateway.url,
    adminApiKey: secrets.ADMIN_API_KEY,
    jwtSecret: Buffer.from(secrets.AUTH_JWT_SECRET),
    propagationMs: 5_000,
    client: createClient(gateway.url, await readApiDocument(gateway.url), 10),
  };
  const owners = [...processes.auth, ...processes.content, ...processes.leases];
  return { roles, target, owners, log: () => log };
}
