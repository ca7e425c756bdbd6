import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describePostFault } from './describe-post-fault.ts';
import { openPoster, type Poster } from './post-message.ts';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let paths: string[];
let poster: Poster;
let origin: string;
beforeEach(async () => {
  paths = [];
  poster = openPoster(300);
  server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await poster.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const post = () => poster.post(new URL('/in', origin), { 'webhook-id': 'msg_a' }, '{}');

test('a redirect is not followed', async () => {
  answer = (_, response) => response.writeHead(302, { location: `${origin}/elsewhere` }).end();
  expect(await post()).toMatchObject({ status: 302 });
  expect(paths).toEqual(['/in']);
});

test('a receiver that hangs is given up at the limit', async () => {
  answer = () => {};
  expect(describePostFault(await post().catch((error) => error))).toBe('no answer within 10 s');
});

test('an endless answer ends a few bytes in, and its status counts', async () => {
  answer = (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'.repeat(8_192)), 1);
    response.on('close', () => clearInterval(timer));
  };
  expect(await post()).toMatchObject({ status: 200 });
});

test('Retry-After in seconds is read', async () => {
  answer = (_, response) => response.writeHead(503, { 'retry-after': '120' }).end();
  expect(await post()).toEqual({ status: 503, retryAfterSeconds: 120 });
});

test('a receiver that is away is described by what an admin can check', async () => {
  await new Promise((resolve) => server.close(resolve));
  const fault = await post().catch((error) => error);
  expect(describePostFault(fault)).toBe('nothing listens at that address (ECONNREFUSED)');
});
