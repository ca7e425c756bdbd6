// The floor: node:http with the same answer as a content key.
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
// Longer than the 5 s of Node, as in Latchkey: no connection ends because nobody asked for a while.
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), process.env.HOST);
for (const end of ['SIGTERM', 'disconnect']) process.on(end, () => process.exit(0));
