import { migrate, openDatabase } from '@latchkey/shared/db';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import type { Cleanup } from '../cleanup.ts';
import { becomesReady, startServer } from '../servers.ts';
import {
  internalSecret,
  startEdge,
  startGateway,
  startKeyDerivation,
  startOwners,
} from '../stack/services.ts';
import type { KeySubject } from './key-subject.ts';
import { toSubject } from './single-subjects.ts';
import { createLeases, listedRequests, registerContent, viewerTokens } from './viewers.ts';

/**
 * Bare servers, a bare forwarder before one of them, Latchkey's gateway before one key-derivation process, and the edge, which is both.
 *
 * @throws Error if Postgres is not installed on this machine
 */
export async function startForwardingSubjects(cleanup: Cleanup): Promise<KeySubject[]> {
  const http = cleanup.add(await startServer('bare node:http', 'tests/bench/peers/bare-http.ts', {}));
  const fastify = cleanup.add(await startServer('bare Fastify', 'tests/bench/peers/bare-fastify.ts', {}));
  const upstream = cleanup.add(await startServer('upstream', 'tests/bench/peers/bare-http.ts', {}));
  const forwarder = cleanup.add(
    await startServer('bare http + undici', 'tests/bench/peers/bare-forwarder.ts', {
      UPSTREAM_URL: upstream.url,
    }),
  );
  const { gateway, keyDerivation, edge } = await startServices(cleanup);
  await registerContent(gateway);
  const tokens = viewerTokens();
  const leases = await createLeases(gateway, tokens);
  const requests = listedRequests(tokens, leases);
  const direct = listedRequests(tokens, leases, [`x-latchkey-secret: ${internalSecret}`]);
  return [
    toSubject(http, requests),
    toSubject(fastify, requests),
    toSubject(forwarder, requests, upstream.pid),
    toSubject(keyDerivation, direct),
    toSubject(gateway, requests, keyDerivation.pid),
    toSubject(edge, requests),
  ];
}

/** Starts the six processes on a Postgres of their own. */
async function startServices(cleanup: Cleanup) {
  const postgres = cleanup.add(await startOwnPostgres());
  const db = openDatabase({ databaseUrl: postgres.url, sqlitePath: '' });
  await migrate(db);
  await db.destroy();
  const backings = { DATABASE_URL: postgres.url };
  const owners = await startOwners(backings);
  for (const server of Object.values(owners.servers)) cleanup.add(server);
  const keyDerivation = cleanup.add(
    await startKeyDerivation('Latchkey, key-derivation itself', owners, backings),
  );
  const gateway = cleanup.add(await startGateway('Latchkey, gateway', owners, [keyDerivation]));
  const edge = cleanup.add(await startEdge('Latchkey, edge', owners, backings));
  for (const { url } of [gateway, edge]) await becomesReady(url);
  return { keyDerivation, gateway, edge };
}
