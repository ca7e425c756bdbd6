import { once } from 'node:events';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { eventually } from '@latchkey/support/black-box/eventually';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import {
  complete,
  makeTestFolder,
  openInTest,
  ownAdminKey,
  startInTest,
} from '@latchkey/support/black-box/own-process';
import { expect, it, onTestFinished } from 'vitest';
import { openEvents } from './event-stream.ts';

async function start(drainSeconds: string) {
  const env = { CONTENT_MODE: 'any', SHUTDOWN_DRAIN_SECONDS: drainSeconds };
  const { server: process, target } = await openInTest(makeTestFolder(), env);
  return { process, ...target };
}

it('after SIGTERM the server is not ready, but serves every request during the drain', async () => {
  const { process, client } = await start('300');
  process.kill('SIGTERM');
  await eventually(async () => expect((await client.get('/ready')).status).toBe(503));
  expect((await client.get('/keys/x', ownAdminKey)).status).toBe(200);
  expect((await client.post('/api/v1/content', ownAdminKey, { name: 'x' })).status).toBe(201);
  expect((await client.get('/health')).status).toBe(200);
});

it('only after the drain the process ends its streams and exits 0', async () => {
  const { process, url } = await start('1');
  const watcher = await openEvents(url, ownAdminKey);
  const beforeMs = performance.now();
  process.kill('SIGTERM');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
  expect(performance.now() - beforeMs).toBeGreaterThan(990);
  await eventually(() => expect(watcher.ended()).toBe(true));
  expect(process.stderr()).not.toMatch(/"level":"error"/);
});

it.each([
  ['a connection that sends nothing', '', ''],
  [
    'a kept connection whose answer ends after the end began',
    'POST /api/v1/setup HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n',
    '{',
  ],
])('%s does not delay the end of a server', async (_, before, after) => {
  const { process, url } = await start('0');
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(before);
  const contact = await fetch(`${url}/health`);
  expect(contact.status).toBe(200);
  process.kill('SIGTERM');
  await eventually(() => expect(process.stderr()).toContain('SIGTERM: closing'));
  socket.write(after);
  expect((await process.ended()).code).toBe(0);
  // The shutdown gives up after 10 s, and says so.
  expect(process.stderr()).not.toContain('did not end well');
  socket.destroy();
});

it('a server whose port is taken ends with a message instead of a stack trace', async () => {
  const other = await listenOnLoopback(createServer());
  onTestFinished(() => other.close());
  const second = startInTest(makeTestFolder(), { ...complete, PORT: new URL(other.origin).port });
  await expect(second.listens()).rejects.toThrow('EADDRINUSE');
  expect((await second.ended()).code).toBe(1);
  expect(second.stderr()).not.toMatch(/\n\s+at /);
});
