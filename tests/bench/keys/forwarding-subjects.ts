import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import type { Run } from '../run.ts';
import { gatewayHeaders, startServer, startServices } from '../servers.ts';
import type { KeySubject } from './measure-keys.ts';
import { createLeases, keyRequests, registerContent, viewerTokens } from './viewers.ts';

/**
 * Bare servers, a bare forwarder before one of them, Latchkey's gateway before one key-derivation process, and the edge process, which is both.
 *
 * @throws Error if Postgres is not installed on this machine
 */
export async function startForwardingSubjects({ cleanup }: Run): Promise<KeySubject[]> {
  const startPeer = async (name: string, file: string, env = {}) =>
    cleanup.add(await startServer(name, `tests/bench/peers/${file}`, env));
  const postgres = cleanup.add(await startOwnPostgres());
  const upstream = await startPeer('upstream', 'bare-http.ts');
  const forwarder = await startPeer('bare http + undici', 'bare-forwarder.ts', {
    UPSTREAM_URL: upstream.url,
  });
  const services = await startServices(cleanup, postgres.url);
  const { gateway, edge, 'key-derivation': keyDerivation } = services;
  await registerContent(gateway);
  const tokens = viewerTokens();
  const leases = await createLeases(gateway, tokens);
  const requestsOf = keyRequests(tokens, leases);
  const named = (name: string, server: KeySubject['server']) => ({ ...server, name: `Latchkey, ${name}` });
  return [
    { server: await startPeer('bare node:http', 'bare-http.ts'), requestsOf },
    { server: await startPeer('bare Fastify', 'bare-fastify.ts'), requestsOf },
    { server: forwarder, requestsOf, upstreamPid: upstream.pid },
    {
      server: named('key-derivation itself', keyDerivation),
      requestsOf: keyRequests(tokens, leases, gatewayHeaders),
    },
    { server: named('gateway', gateway), requestsOf, upstreamPid: keyDerivation.pid },
    { server: named('edge', edge), requestsOf },
  ];
}
