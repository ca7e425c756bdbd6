import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer of a stand-in: a status and JSON. */
export interface StandInAnswer {
  status: number;
  json: unknown;
  headers?: Readonly<Record<string, string>>;
}

export interface StandIn {
  url: string;
  /** Also ends connections with requests that were not answered. */
  close(): Promise<void>;
}

/** Listens on loopback. `answer` gets the body as text, and null leaves the request without an answer. */
export async function listen(
  answer: (request: IncomingMessage, body: string) => StandInAnswer | null,
): Promise<StandIn> {
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const given = answer(request, Buffer.concat(parts).toString('utf8'));
    if (!given) return;
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers });
    response.end(given.json === undefined ? undefined : JSON.stringify(given.json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
