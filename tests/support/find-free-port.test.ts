import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from './find-free-port.ts';

it('a free port lies outside the range that the system uses for outgoing connections', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const socket = connect(address.port, '127.0.0.1');
  await once(socket, 'connect');
  const chosenBySystem = [address.port, socket.localPort ?? 0];
  for (let index = 0; index < 200; index++)
    expect(await findFreePort()).toBeLessThan(Math.min(...chosenBySystem));
});

it('a free port is given once', async () => {
  const ports: number[] = [];
  for (let index = 0; index < 200; index++) ports.push(await findFreePort());
  expect(new Set(ports).size).toBe(200);
});
