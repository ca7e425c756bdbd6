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
server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
