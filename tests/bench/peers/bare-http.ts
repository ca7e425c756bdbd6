// The least that an answer costs: node:http with the same answer as a key request.
import { createServer } from 'node:http';

const key = Buffer.alloc(16, 7);
const server = createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': key.length,
    'cache-control': 'no-store',
  });
  response.end(key);
});
// As in Latchkey: longer than Node's 5 s, so that no idle connection is closed.
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), process.env.HOST);
for (const end of ['SIGTERM', 'disconnect']) process.on(end, () => process.exit(0));
