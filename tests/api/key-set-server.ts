import { createServer } from 'node:http';
import type { IssuerKey } from '@latchkey/support/tokens';
import { afterAll } from 'vitest';
import { listenForServers } from './listen-for-servers.ts';

export { makeIssuerKey } from '@latchkey/support/tokens';

/** The part of an identity provider that a key server uses: `GET /jwks.json`. */
export interface KeySetServer {
  url: string;
  /** Sets the answer to the next requests; null is a 500. */
  publish(keys: readonly IssuerKey[] | null): void;
  /** How many requests came. */
  requests(): number;
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
  const { origin, close } = await listenForServers(server);
  afterAll(close);
  return {
    url: `${origin}/jwks.json`,
    publish: (keys) => {
      published = keys;
    },
    requests: () => requests,
  };
}
