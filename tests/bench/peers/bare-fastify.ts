// The server that others are compared with: Fastify with the same route and the same answer, and nothing else.
import fastify from 'fastify';

const key = Buffer.alloc(16, 7);
const app = fastify();
app.get('/health', () => ({ status: 'ok' }));
app.get('/keys/:contentId/:epoch', (_request, reply) => {
  reply.header('content-type', 'application/octet-stream').header('cache-control', 'no-store').send(key);
});
await app.listen({ host: process.env.HOST ?? '127.0.0.1', port: Number(process.env.PORT) });
for (const end of ['SIGTERM', 'disconnect']) process.on(end, () => process.exit(0));
