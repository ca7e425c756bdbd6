import { migrate } from '@latchkey/shared/db';
import type { Cleanup } from '../cleanup.ts';
import { seedApiKeys } from '../seed-api-keys.ts';
import { seedLeases } from '../seed-leases.ts';
import { startBackings } from '../stack/backings.ts';
import { startDataPlane, startKeyDerivation, startOwners } from '../stack/services.ts';
import type { Target, TargetOptions } from './target.ts';
import { timeBoots } from './time-boots.ts';

/** One gateway before replicas of key-derivation, on Postgres, Redis and NATS. */
export async function startDistributedTarget(options: TargetOptions, cleanup: Cleanup): Promise<Target> {
  const backings = cleanup.add(await startBackings());
  await migrate(backings.db);
  const owners = await startOwners(backings.env);
  for (const server of Object.values(owners.servers)) cleanup.add(server);
  const start = () => startKeyDerivation('key-derivation', owners, backings.env);
  // Not measured: the first start registers the master key.
  await timeBoots(1, start);
  const withoutLeasesMs = await timeBoots(options.boots, start);
  await seedApiKeys(backings.db, options.apiKeys, Date.now());
  await seedLeases(backings.db, options, Date.now(), options.say);
  const withLeasesMs = await timeBoots(options.boots, start);
  const counts = { gateways: 1, replicas: options.replicas };
  const plane = cleanup.add(await startDataPlane(counts, owners, backings.env));
  return {
    url: plane.gateways[0]?.url ?? '',
    processes: [...plane.gateways, ...plane.replicas, ...Object.values(owners.servers)],
    flags: [],
    replicas: options.replicas,
    boots: { what: 'key-derivation', withoutLeasesMs, withLeasesMs },
  };
}
