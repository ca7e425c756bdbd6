import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let proxy: TcpProxy;
let port: number;
const received: string[] = [];
const sockets: Socket[] = [];
const echo = createServer((socket) => {
  sockets.push(socket);
  socket.on('data', (chunk) => {
    received.push(String(chunk));
    socket.write(chunk);
  });
});

beforeEach(async () => {
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  port = (echo.address() as AddressInfo).port;
  proxy = await startTcpProxy(port);
  received.length = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

async function open(to: number): Promise<(text: string) => Promise<string>> {
  const socket = connect({ port: to, host: '127.0.0.1' });
  sockets.push(socket);
  await once(socket, 'connect');
  return async (text) => {
    const answer = once(socket, 'data');
    socket.write(text);
    return String((await answer)[0]);
  };
}

test('a cut proxy passes nothing on, on old and on new connections, and a healed one passes on all of it', async () => {
  const old = await open(proxy.port);
  await old('before');
  proxy.cut();
  const pending = [old('old'), (await open(proxy.port))('new')];
  // This is sent later, but directly, so it arrives first.
  expect(await (await open(port))('direct')).toBe('direct');
  expect(received).toEqual(['before', 'direct']);
  proxy.heal();
  expect(await Promise.all(pending)).toEqual(['old', 'new']);
});

test('an answer through a slow proxy takes as long as its delay', async () => {
  const ask = await open(proxy.port);
  proxy.slow(100);
  const startMs = performance.now();
  expect(await ask('late')).toBe('late');
  // A timer may come a millisecond early.
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(99);
});
