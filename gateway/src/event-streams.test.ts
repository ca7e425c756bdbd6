import { expect, onTestFinished, test } from 'vitest';
import { serveInTest, startGateway } from './forwarding.fixture.ts';

test('open event streams leave the connections to the auth service to its calls, and end with the gateway', async () => {
  const service = await serveInTest((request, response) => {
    if (request.url !== '/api/v1/events') return response.end('called');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(':\n\n');
    return undefined;
  });
  // As many connections as streams: with one pool for both, no call would get through.
  const streams = 4;
  const gateway = await startGateway({ auth: [service.url] }, { connections: streams });
  const ended = { isClosed: false };
  const close = async () => {
    if (!ended.isClosed) await gateway.close();
    ended.isClosed = true;
  };
  onTestFinished(close);
  const opened = Array.from({ length: streams }, () =>
    gateway.open('GET /api/v1/events HTTP/1.1\r\nhost: a\r\n\r\n'),
  );
  for (const stream of opened) await stream.reads(':\n\n');
  for (const path of ['/api/v1/api-keys', '/api/v1/audit', '/api/v1/setup'])
    expect(await gateway.raw(`GET ${path} HTTP/1.1`)).toContain('called');
  await close();
  for (const stream of opened) expect(await stream.all()).toMatch(/connection: close.*0\r\n\r\n$/is);
}, 30_000);
