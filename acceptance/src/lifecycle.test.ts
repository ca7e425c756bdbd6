import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readApiDocument } from './api-document.ts';
import { createClient } from './client.ts';
import { openEvents } from './event-stream.ts';
import { eventually } from './eventually.ts';
import { listenOnLoopback } from './listen-on-loopback.ts';
import { complete, makeTestFolder, startInTest } from './own-process.ts';
import { makeApiKey } from './target.ts';

const admin = makeApiKey();

async function start(env: Record<string, string>) {
  const process = startInTest(makeTestFolder(), {
    ...complete,
    ADMIN_API_KEY: admin,
    CONTENT_MODE: 'any',
    ...env,
  });
  const url = await process.listens();
  return { process, url, client: createClient(url, await readApiDocument(url)) };
}

it('after SIGTERM the server is not ready, but serves every request during the drain', async () => {
  const { process, client } = await start({ SHUTDOWN_DRAIN_SECONDS: '300' });
  process.kill('SIGTERM');
  await eventually(async () => expect((await client.get('/ready')).status).toBe(503));
  expect((await client.get('/keys/x', admin)).status).toBe(200);
  expect((await client.post('/api/v1/content', admin, { name: 'x' })).status).toBe(201);
  expect((await client.get('/health')).status).toBe(200);
});

it('only after the drain the process ends its streams and exits 0', async () => {
  const { process, url } = await start({ SHUTDOWN_DRAIN_SECONDS: '1' });
  const watcher = await openEvents(url, admin);
  const beforeMs = performance.now();
  process.kill('SIGTERM');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
  expect(performance.now() - beforeMs).toBeGreaterThan(990);
  await eventually(() => expect(watcher.ended()).toBe(true));
  expect(process.stderr()).not.toMatch(/"level":"error"/);
});

it('a connection that sends nothing does not delay the end of the server', async () => {
  const { process, url } = await start({ SHUTDOWN_DRAIN_SECONDS: '0' });
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  process.kill('SIGTERM');
  expect((await process.ended()).code).toBe(0);
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
