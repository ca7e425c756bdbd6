import { join } from 'node:path';
import { findFreePort } from '@latchkey/support/find-free-port';
import { runCli } from '@latchkey/support/processes/run-cli';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { describeDatabaseRoles } from '@latchkey/support/stack/database-roles';
import {
  absentBucket,
  createDistributedProfile,
  makeProfileSecrets,
  type Replicas,
  type SettingsOf,
} from '@latchkey/support/stack/distributed-profile';
import { needsOf, type ProcessKind, topology } from '@latchkey/support/stack/topology';
import { publicUrl } from '../stack/playlist-source.ts';
import { keyMaterial } from '../stack/secrets.ts';
import type { MeasuredProcess, PreparedProfile, ProfileName } from './prepared-profile.ts';
import { startProtectedNats, startProtectedPostgres, startProtectedRedis } from './protected-stores.ts';
import { createSecretFiles, emptyPrevious } from './secret-files.ts';

/** Two of each, so that a restart of one drops nothing. */
const replicas: Replicas = {
  auth: 2,
  content: 2,
  leases: 2,
  'key-derivation': 2,
  playback: 2,
  gateway: 2,
};
const kinds = Object.keys(replicas) as Exclude<ProcessKind, 'edge'>[];
/** Longer than a load balancer needs to notice. */
const drainSeconds = 3;
const rolePrefix = 'latchkey';

/** The services that have a role of their own in Postgres. */
export const servicesWithRole = ['auth', 'content', 'leases'] as const;
/** The name of the file with the URL of a service's database. */
export const databaseSecretOf = (service: (typeof servicesWithRole)[number]) => `DATABASE_URL of ${service}`;
export const roleOf = (service: (typeof servicesWithRole)[number]) => `${rolePrefix}_${service}`;

/** @param outside variables of every process that say where playlists and key sets come from */
export async function startSeparateServices(
  _profile: ProfileName,
  folder: string,
  outside: Environment,
): Promise<PreparedProfile> {
  const [postgres, redis, nats] = await Promise.all([
    startProtectedPostgres(),
    startProtectedRedis(),
    startProtectedNats(),
  ]);
  const roles = describeDatabaseRoles(postgres.ownerUrl, rolePrefix);
  await runCli(['migrate'], { DATABASE_URL: postgres.ownerUrl });
  await roles.migrate();
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', ...presign } = absentBucket();
  const profileSecrets = makeProfileSecrets();
  const secrets = createSecretFiles(join(folder, 'secrets'), {
    ...profileSecrets,
    ...keyMaterial,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    ...emptyPrevious,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    ...Object.fromEntries(
      servicesWithRole.map((service) => [
        databaseSecretOf(service),
        roles.urlFor(service, postgres.ownerUrl),
      ]),
    ),
  });
  const metricsPorts = await reserveMetricsPorts();
  const settingsOf: Record<string, Environment> = {};
  for (const kind of kinds) settingsOf[kind] = secrets.variables(secretsOf(kind));
  for (const [name, port] of metricsPorts) settingsOf[name] = { METRICS_PORT: String(port) };
  const { processes } = await createDistributedProfile({
    stores: { postgres: postgres.ownerUrl, redis: redis.url, nats: nats.url },
    secrets: profileSecrets,
    replicas,
    settings: {
      ...presign,
      HOME: folder,
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      PUBLIC_URL: publicUrl,
      ...outside,
      SHUTDOWN_DRAIN_SECONDS: String(drainSeconds),
    },
    settingsOf: settingsOf as SettingsOf,
    folder,
    outputOf: (name) => ({ logFile: join(folder, `${name}.log`) }),
  });
  const measured: MeasuredProcess[] = Object.entries(processes).flatMap(([kind, servers]) =>
    servers.map((server) => ({
      server,
      metricsPort: metricsPorts.get(server.name) ?? 0,
      takesRequests: kind === 'gateway',
    })),
  );
  return { processes: measured, secrets, stores: { postgres, redis, nats } };
}

/** The secrets of a process that it gets from files, each from the file that it shares with the others who know it. */
function secretsOf(kind: Exclude<ProcessKind, 'edge'>): string[] {
  const known = topology[kind].secrets.filter((name) => !/_V2$|SETUP_TOKEN/.test(name));
  const service = servicesWithRole.find((each) => each === kind);
  return [
    'INTERNAL_SECRET',
    'INTERNAL_SECRET_PREVIOUS',
    ...known,
    ...known.map((name) => `${name}_PREVIOUS`).filter((name) => name in emptyPrevious),
    ...(needsOf(kind).includes('redis') ? ['REDIS_URL', 'NATS_URL'] : []),
    ...(service ? [databaseSecretOf(service)] : []),
  ];
}

async function reserveMetricsPorts(): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const kind of kinds)
    for (let number = 1; number <= (replicas[kind] ?? 0); number++)
      ports.set(`${kind}-${number}`, await findFreePort());
  return ports;
}
