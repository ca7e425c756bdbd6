import { startOwnPostgres } from '@latchkey/rig/stores/own-stores';
import { migrate, openDatabase } from '@latchkey/shared/db';
import { adminKey, becomesReady, call, measuringToken, type Subject, startServer } from './servers.ts';
import { internalSecret, startGateway, startKeyDerivation, startOwners } from './stack/services.ts';

/**
 * Starts bare servers, a bare forwarder before one of them, and Latchkey's gateway before its services.
 *
 * @throws Error if Postgres is not installed on this machine
 */
export async function startDistributedSubjects(): Promise<Subject[]> {
  const http = await startServer('bare node:http', 'bench/src/bare-http.ts', {});
  const fastify = await startServer('bare Fastify', 'bench/src/bare-fastify.ts', {});
  const forwarder = await startServer('bare http + undici', 'bench/src/bare-forwarder.ts', {
    UPSTREAM_URL: http.url,
  });
  const { gateway, keyDerivation } = await startServices();
  await call(gateway.url, 'POST', '/api/v1/content', adminKey, { id: 'film', name: 'Film' });
  const headers = { authorization: `Bearer ${measuringToken()}` };
  const subjects = [
    http,
    fastify,
    forwarder,
    { ...keyDerivation, headers: { ...headers, 'x-latchkey-secret': internalSecret } },
    { ...gateway, headers },
  ];
  return subjects.map((subject) => ({ ...subject, url: `${subject.url}/keys/film/0` }));
}

/** Starts the five processes on a Postgres of their own. Stopping the gateway also stops the processes that are not measured. */
async function startServices() {
  const postgres = await startOwnPostgres();
  const db = openDatabase({ databaseUrl: postgres.url, sqlitePath: '' });
  await migrate(db);
  await db.destroy();
  const backings = { DATABASE_URL: postgres.url };
  const owners = await startOwners(backings);
  const keyDerivation = await startKeyDerivation('Latchkey, key-derivation itself', owners, backings);
  const gateway = await startGateway('Latchkey, gateway', owners, [keyDerivation]);
  await becomesReady(gateway.url);
  return {
    keyDerivation,
    gateway: {
      ...gateway,
      async stop() {
        await Promise.all([gateway, ...Object.values(owners.servers)].map((server) => server.stop()));
        await postgres.stop();
      },
    },
  };
}
