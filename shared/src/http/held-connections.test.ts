import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startMetricsListener } from '../metrics/metrics.ts';
import { startHost } from './host.fixture.ts';

let host: Awaited<ReturnType<typeof startHost>>;
const clients: Socket[] = [];
beforeEach(async () => {
  host = await startHost();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.destroy();
  await host.app.close();
});

/** A client that never closes its own side. */
function hold(port: number, text: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  clients.push(socket);
  socket.on('error', () => {});
  socket.write(text, 'latin1');
  return socket;
}

const openConnections = () =>
  new Promise<number>((resolve, reject) =>
    host.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

test.each([
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', 405],
  ['CONNECT, and bytes for the tunnel', `CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n${'x'.repeat(100_000)}`, 405],
  ['something other than HTTP', '\x16\x03\x01\x02\x00\x01', 400],
  ['a head that is too long', `GET / HTTP/1.1\r\na: ${'x'.repeat(20_000)}`, 431],
])(
  'a connection with %s is closed after its answer, although the client keeps its side open',
  async (_, text, status) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const client = hold(host.port, text);
    let answer = '';
    client.on('data', (chunk) => {
      answer += chunk;
    });
    await once(client, 'end');
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    // The client may still read, so the server waits for it, and not longer.
    expect(await openConnections()).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.waitFor(async () => expect(await openConnections()).toBe(0), { timeout: 10_000 });
  },
);

test('a client that reads nothing of a long answer loses its connection once it has stood still for a while', async () => {
  const { server } = host.app;
  expect(server.timeout).toBe(120_000);
  server.setTimeout(100);
  server.on('request', (_request, response) => response.end(Buffer.alloc(32 * 1024 * 1024)));
  server.removeListener('request', server.listeners('request')[0] as never);
  const client = hold(host.port, 'GET /things HTTP/1.1\r\nhost: a\r\n\r\n');
  client.pause();
  await vi.waitFor(async () => expect(await openConnections()).toBe(1), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await openConnections()).toBe(0), { timeout: 10_000 });
});

test('the listener for metrics closes a connection with CONNECT at once', async () => {
  const listener = await startMetricsListener(
    { metrics: async () => '', contentType: 'text/plain' } as never,
    '127.0.0.1',
    0,
  );
  const client = hold(listener.port, 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n');
  client.resume();
  await once(client, 'end');
  client.destroy();
  await listener.close();
});
