import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IssuerKey } from '@latchkey/support/tokens';

/** The part of an identity provider that servers use: its key set at `AUTH_JWKS_URL`. It is empty at first. */
export interface Issuer {
  url: string;
  /** Sets the keys of the next answers. */
  publish(keys: readonly IssuerKey[]): void;
  /** Whether it answers 503 to everything. */
  setAway(isAway: boolean): void;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  let published: readonly IssuerKey[] = [];
  let isAway = false;
  const server = createServer((_, answer) => {
    if (isAway) return void answer.writeHead(503).end();
    const keys = published.map(({ jwk }) => jwk);
    answer.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    publish(keys) {
      published = keys;
    },
    setAway(next) {
      isAway = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
