import { join } from 'node:path';
import { findFreePort } from '@latchkey/support/find-free-port';
import { createLatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { absentBucket, makeProfileSecrets } from '@latchkey/support/stack/distributed-profile';
import { singleNodeEntry } from '@latchkey/support/stack/topology';
import { publicUrl } from '../stack/playlist-source.ts';
import { keyMaterial } from '../stack/secrets.ts';
import { withPostgres } from '../stack/with-postgres.ts';
import type { PreparedProfile, ProfileName } from './prepared-profile.ts';
import { makePassword, type ProtectedPostgres, startProtectedPostgres } from './protected-stores.ts';
import { createSecretFiles, emptyPrevious } from './secret-files.ts';

/** The role of a single node on Postgres, which owns its database. */
export const nodeRole = 'latchkey_node';
const workers = 2;

/** @param outside variables of every process that say where playlists and key sets come from */
export async function startSingleNode(
  profile: ProfileName,
  folder: string,
  outside: Environment,
): Promise<PreparedProfile> {
  const postgres = profile === 'single node on Postgres' ? await startProtectedPostgres() : null;
  const { INTERNAL_SECRET: _, ...profileSecrets } = makeProfileSecrets();
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', ...presign } = absentBucket();
  const { ADMIN_API_KEY_PREVIOUS, AUTH_JWT_SECRET_PREVIOUS } = emptyPrevious;
  const values: Record<string, string> = {
    ...profileSecrets,
    ...keyMaterial,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    ADMIN_API_KEY_PREVIOUS,
    AUTH_JWT_SECRET_PREVIOUS,
    ...(postgres ? { DATABASE_URL: await createNodeRole(postgres) } : {}),
  };
  const secrets = createSecretFiles(join(folder, 'secrets'), values);
  const metricsPort = await findFreePort();
  const server = createLatchkeyProcess({
    name: 'single-node',
    entry: singleNodeEntry,
    port: await findFreePort(),
    folder,
    env: {
      ...presign,
      ...secrets.variables(Object.keys(values)),
      HOME: folder,
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      PUBLIC_URL: publicUrl,
      ...outside,
      METRICS_PORT: String(metricsPort),
      LATCHKEY_WORKERS: profile === 'workers' ? String(workers) : '1',
    },
    output: { logFile: join(folder, 'single-node.log') },
  });
  return {
    processes: [{ server, metricsPort, takesRequests: true }],
    secrets,
    stores: postgres ? { postgres } : {},
  };
}

async function createNodeRole({ ownerUrl }: ProtectedPostgres): Promise<string> {
  const password = makePassword();
  await withPostgres(ownerUrl, async (client) => {
    await client.query(`create role ${nodeRole} login password '${password}'`);
    await client.query(`create database ${nodeRole} owner ${nodeRole}`);
  });
  const url = new URL(ownerUrl);
  url.username = nodeRole;
  url.password = password;
  url.pathname = `/${nodeRole}`;
  return url.toString();
}
