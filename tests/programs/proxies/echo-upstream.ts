import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import { afterAll } from 'vitest';

/** Requests for this path get no answer: the connection is closed. */
export const failingPath = '/keys/fails';
/** Only the first request for this path gets no answer. */
export const onceFailingPath = '/keys/once-fails';

/** An upstream that records its requests. */
export interface EchoUpstream {
  url: string;
  requests: { target: string; headers: IncomingHttpHeaders; rawNames: string[] }[];
  /** How many connections were opened to it. */
  connections(): number;
}

/** Starts one that answers everything else with 204, and stops it after the file's last test. */
export async function startEchoUpstream(): Promise<EchoUpstream> {
  const requests: EchoUpstream['requests'] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const rawNames = request.rawHeaders.filter((_, n) => n % 2 === 0).map((name) => name.toLowerCase());
    requests.push({ target: request.url ?? '', headers: request.headers, rawNames });
    const isFirst = !requests.slice(0, -1).some(({ target }) => target === request.url);
    if (request.url?.startsWith(failingPath) || (request.url?.startsWith(onceFailingPath) && isFirst))
      return void request.socket.destroy();
    request.resume();
    response.writeHead(204).end();
  });
  // Latchkey's value, so that it is the proxies that close idle connections.
  server.keepAliveTimeout = 72_000;
  server.on('connection', () => {
    connections++;
  });
  const { origin, close } = await listenOnLoopback(server);
  afterAll(close);
  return { url: origin, requests, connections: () => connections };
}
