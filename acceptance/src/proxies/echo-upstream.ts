import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll } from 'vitest';

/** Asked for this, it closes the connection without an answer. */
export const failingPath = '/keys/fails';
/** Asked for this for the first time, it does so too. */
export const onceFailingPath = '/keys/once-fails';

/** An upstream that remembers how it was asked. */
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
  // As Latchkey's, so that the proxies are the ones that close a connection.
  server.keepAliveTimeout = 72_000;
  server.on('connection', () => {
    connections++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, requests, connections: () => connections };
}
