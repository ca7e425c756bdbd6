// The least that forwarding costs: node:http receives, undici sends, and nothing happens in between.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM_URL ?? '', { connections: 128, pipelining: 1 });
const server = createServer((request, response) => {
  if (request.url === '/health') {
    response.end('ok');
    return;
  }
  const chunks: Buffer[] = [];
  let head: [number, Record<string, string | string[] | undefined>] = [502, {}];
  pool.dispatch(
    { method: 'GET', path: request.url ?? '/', headers: request.headers },
    {
      onRequestStart() {},
      onResponseStart: (_controller, status, headers) => {
        head = [status, headers];
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => response.writeHead(...head).end(Buffer.concat(chunks)),
      onResponseError: () => response.writeHead(502).end(),
    },
  );
});
server.listen(Number(process.env.PORT), process.env.HOST);
for (const end of ['SIGTERM', 'disconnect']) process.on(end, () => process.exit(0));
