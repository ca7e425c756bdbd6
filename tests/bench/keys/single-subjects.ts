import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../cleanup.ts';
import { startNginxPeer } from '../peers/start-nginx.ts';
import type { Run } from '../run.ts';
import { startServer, startSingleNode, tokenSecret } from '../servers.ts';
import type { KeySubject } from './measure-keys.ts';
import {
  createLeases,
  issuedTokens,
  keyRequests,
  newTokenRequests,
  registerContent,
  viewerTokens,
} from './viewers.ts';

/** Servers that answer a key request: bare ones, other ways to build a key server, and Latchkey with four kinds of load. */
export async function startSingleSubjects({ cleanup, misses }: Run): Promise<KeySubject[]> {
  const tokens = viewerTokens();
  const plain = keyRequests(tokens);
  const startPeer = async (name: string, file: string, env = {}) =>
    cleanup.add(await startServer(name, `tests/bench/peers/${file}`, env));
  // Each kind of load has a process of its own, so that what one leaves in memory does not slow the next.
  const startLatchkey = async (load: string, settings = {}) => {
    const server = await startSingleNode(cleanup, `Latchkey, ${load}`, settings);
    await registerContent(server);
    return server;
  };
  const peers = [
    await startPeer('bare node:http', 'bare-http.ts'),
    await startPeer('bare Fastify', 'bare-fastify.ts'),
    await startPeer('Express with jsonwebtoken', 'express.ts', { TOKEN_SECRET: tokenSecret }),
  ];
  const nginx = await startNginxPeer('nginx with njs', misses);
  if (nginx) peers.push(cleanup.add(nginx));
  const withLeases = await startLatchkey('1,000 tokens and leases');
  const issued = await issuedTokens();
  const keySet = { AUTH_JWKS_URL: await serveKeySet(issued.keySet, cleanup) };
  return [
    ...peers.map((server) => ({ server, requestsOf: plain })),
    { server: await startLatchkey('1,000 tokens'), requestsOf: plain },
    { server: withLeases, requestsOf: keyRequests(tokens, await createLeases(withLeases, tokens)) },
    { server: await startLatchkey('each request a new token'), requestsOf: newTokenRequests() },
    { server: await startLatchkey('1,000 tokens (ES256)', keySet), requestsOf: keyRequests(issued.tokens) },
  ];
}

async function serveKeySet(keySet: string, cleanup: Cleanup): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(keySet);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add({
    stop() {
      server.close();
      server.closeAllConnections();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
}
