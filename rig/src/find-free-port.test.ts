import { connect, createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from './find-free-port.ts';

const listen = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
    onTestFinished(() => void server.close());
  });

it('a free port can be listened on, and is returned only once', async () => {
  const ports: number[] = [];
  for (let index = 0; index < 50; index++) {
    const port = await findFreePort();
    // At once, before another process of this machine takes it.
    if (index % 2 === 0) await listen(port);
    ports.push(port);
  }
  expect(new Set(ports).size).toBe(50);
});

it('a free port lies outside the range that the system uses for outgoing connections', async () => {
  const server = await listen(0);
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  const socket = connect(address.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const chosenBySystem = [address.port, socket.localPort ?? 0];
  for (let index = 0; index < 200; index++)
    expect(await findFreePort()).toBeLessThan(Math.min(...chosenBySystem));
});

it('a second port above a free one is free as well, and no one else gets it', async () => {
  const ports: number[] = [];
  for (let index = 0; index < 200; index++) {
    const first = await findFreePort(7);
    ports.push(first, first + 7, await findFreePort());
  }
  expect(new Set(ports).size).toBe(600);
});
