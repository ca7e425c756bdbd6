// The usual way to build a key server: Express verifies a viewer's token with jsonwebtoken and derives the key. No leases, no log.
import { hkdfSync } from 'node:crypto';
import express from 'express';
import jsonwebtoken from 'jsonwebtoken';

const masterKey = Buffer.alloc(32, 1);
const salt = Buffer.alloc(32, 2);
const contentKeyBytes = 16;
const secret = process.env.TOKEN_SECRET ?? '';

const app = express();
app.get('/health', (_request, response) => void response.json({ status: 'ok' }));
app.get('/keys/:contentId/:epoch', (request, response) => {
  const { contentId, epoch } = request.params;
  try {
    jsonwebtoken.verify(request.headers.authorization?.slice('Bearer '.length) ?? '', secret, {
      algorithms: ['HS256'],
    });
  } catch {
    response.sendStatus(401);
    return;
  }
  const key = hkdfSync('sha256', masterKey, salt, `${contentId}/${epoch}`, contentKeyBytes);
  response
    .set({ 'content-type': 'application/octet-stream', 'cache-control': 'no-store' })
    .send(Buffer.from(key));
});
const server = app.listen(Number(process.env.PORT), process.env.HOST ?? '127.0.0.1');
server.keepAliveTimeout = 72_000;
for (const end of ['SIGTERM', 'disconnect']) process.on(end, () => process.exit(0));
