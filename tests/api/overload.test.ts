import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '@latchkey/support/black-box/eventually';
import { readLines } from '@latchkey/support/black-box/request-lines';
import { isSingleNode, startServer } from '@latchkey/support/black-box/target';
import { expect, it, onTestFinished, vi } from 'vitest';

const patience = { timeout: 60_000, interval: 50 };

/** An event loop without work is late by a millisecond or two. The loop of a flooded server is later, and least in a gateway, which waits for others. */
const server = await startServer({ OVERLOAD_DELAY_MS: '3' });
const metricsUrl = /metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(server.process.stderr())?.[1] ?? '';

const keyPath = '/keys/film';
const floodConnections = 64;
const sentAtOnce = 50;

function ask(method: string, path: string, body?: object): Promise<Response> {
  const authorization = `Bearer ${server.adminApiKey}`;
  if (!body) return fetch(server.url + path, { method, headers: { authorization } });
  const headers = { authorization, 'content-type': 'application/json' };
  return fetch(server.url + path, { method, headers, body: JSON.stringify(body) });
}

/** Keeps two batches of key requests under way on each connection. @returns ends it, once every request has its answer */
function startFlood(path: string): () => Promise<void> {
  const { hostname, port } = new URL(server.url);
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.adminApiKey}\r\n\r\n`;
  const batch = Buffer.from(request.repeat(sentAtOnce));
  let isOver = false;
  const sockets: Socket[] = Array.from({ length: floodConnections }, () => {
    const socket = connect(Number(port), hostname);
    let waiting = 2 * sentAtOnce;
    socket.write(batch);
    socket.write(batch);
    socket.setEncoding('latin1').on('data', (piece: string) => {
      // The first line of an answer is in one piece, or counts with the next piece: the batches are only kept going.
      waiting -= piece.split('HTTP/1.1 ').length - 1;
      if (isOver || waiting > sentAtOnce) return;
      waiting += sentAtOnce;
      socket.write(batch);
    });
    return socket;
  });
  const end = async () => {
    isOver = true;
    const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.end();
    await Promise.all(closed);
  };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return end;
}

async function expectRefusal(): Promise<void> {
  const refused = await vi.waitUntil(async () => {
    const answer = await ask('GET', keyPath);
    return answer.status === 503 && answer;
  }, patience);
  expect(refused.headers.get('retry-after')).toMatch(/^[123]$/);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(await refused.json()).toMatchObject({
    code: 'DEPENDENCY_UNAVAILABLE',
    requestId: refused.headers.get('x-request-id'),
  });
}

it('while more key requests come than can be served, a part gets 503 with Retry-After, and probes, changes and revocations are served', async () => {
  await ask('POST', '/api/v1/content', { id: 'film', name: 'Film' });
  await ask('POST', '/api/v1/content', { id: 'other', name: 'Other' });
  const endFlood = startFlood(keyPath);
  await expectRefusal();
  for (const path of ['/health', '/ready']) expect((await ask('GET', path)).status).toBe(200);
  expect((await ask('POST', '/keys/leases/revoke', { contentId: 'other' })).status).toBe(200);
  expect((await ask('DELETE', '/api/v1/content/other')).status).toBe(200);

  await endFlood();
  // Connections may wait that were not read yet.
  await vi.waitUntil(async () => (await ask('GET', keyPath)).status === 200, patience);
  const counted = async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    return Number(
      /shed_requests_total\{[^}]*upstream="own",reason="overloaded"[^}]*\} (\d+)/.exec(metrics)?.[1],
    );
  };
  const logged = () => readLines(server.process).filter(({ status }) => status === 503).length;
  // The port of a gateway's metrics is not printed where services are separate.
  if (!isSingleNode) return;
  await eventually(async () => expect(logged()).toBe(await counted()));
  expect(server.process.stderr()).toContain('OVERLOAD_DELAY_MS');
});
