import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IssuerKey } from '@latchkey/rig/tokens';
import { afterAll, inject } from 'vitest';
import { bridgeAddress } from './containers.ts';

export { makeIssuerKey } from '@latchkey/rig/tokens';

/** The part of an identity provider that a key server uses: `GET /jwks.json`. */
export interface KeySetServer {
  url: string;
  /** Sets the answer to the next requests; null is a 500. */
  publish(keys: readonly IssuerKey[] | null): void;
  /** How many requests came. */
  requests(): number;
}

/** The address at which servers of this file reach it: loopback, or the bridge that every container can reach. */
function listeningAddress(): string | Promise<string> {
  return inject('containersOf') === null ? '127.0.0.1' : bridgeAddress('bridge');
}

/** Serves a key set until the file's tests are over. */
export async function startKeySetServer(): Promise<KeySetServer> {
  let published: readonly IssuerKey[] | null = [];
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    if (published === null) return void response.writeHead(500).end();
    const body = JSON.stringify({ keys: published.map(({ jwk }) => jwk) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const address = await listeningAddress();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/jwks.json`,
    publish: (keys) => {
      published = keys;
    },
    requests: () => requests,
  };
}
