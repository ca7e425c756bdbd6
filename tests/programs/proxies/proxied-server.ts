import { type RequestLine, readLines } from '@latchkey/support/black-box/request-lines';
import { type OwnSingleNode, startSingleNode } from '@latchkey/support/black-box/target';
import { afterAll, vi } from 'vitest';
import { createAsker } from './ask-proxy.ts';
import type { ProxyKind } from './configuration.ts';
import { type ProxyProcess, startProxy } from './proxy-process.ts';

/** The origin whose pages may read Latchkey's answers. */
export const listedOrigin = 'https://app.example.com';

/** A proxy with its documented configuration, and Latchkey behind it, configured as that documentation says. */
export interface ProxiedServer extends ReturnType<typeof createAsker> {
  server: OwnSingleNode;
  proxy: ProxyProcess;
  /** Latchkey's log line of the request that had this id. */
  lineOf(requestId: string): Promise<RequestLine>;
}

/** For a log line that is still being written. */
export const patience = { timeout: 25_000, interval: 20 };

let addresses = 1;
/** A loopback address that no other test of this file uses, so that requests of one test do not count for another. */
export function newAddress(): string {
  addresses++;
  return `127.0.${addresses >> 8}.${addresses & 255}`;
}

export async function startProxiedServer(kind: ProxyKind): Promise<ProxiedServer> {
  const server = await startSingleNode({
    NODE_ENV: 'production',
    TRUST_PROXY: '1',
    CORS_ORIGINS: listedOrigin,
    CONTENT_MODE: 'any',
    VIEWER_TOKEN_FROM: 'header,query',
    // Caddy without plugins has no rate limits.
    RATE_LIMIT: kind === 'Caddy' ? 'on' : 'off',
  });
  const proxy = await startProxy(kind, server.url);
  const asker = createAsker(proxy);
  afterAll(asker.close);
  const lineOf = (requestId: string) =>
    vi.waitFor(() => {
      const found = readLines(server.process).find((line) => line.requestId === requestId);
      if (!found) throw new Error(`Latchkey has no line for ${requestId}`);
      return found;
    }, patience);
  return { ...asker, server, proxy, lineOf };
}
