import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { describePostFault } from './describe-post-fault.ts';
import { openPoster, type Poster } from './post-message.ts';

/** Longer than a busy machine takes for an answer. One test waits for it. */
const limitMs = 2_000;

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let paths: string[];
let poster: Poster;
let origin: string;
beforeEach(async () => {
  paths = [];
  poster = openPoster(limitMs);
  server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  poster.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const post = () => poster.post(new URL('/in', origin), { 'webhook-id': 'msg_a' }, '{}');

test('a receiver that hangs is given up at the limit', async () => {
  answer = () => {};
  const impatient = openPoster(10);
  const fault = await impatient.post(new URL(origin), {}, '{}').catch((error) => error);
  expect(describePostFault(fault)).toBe('no answer within 10 s');
  impatient.close();
});

test('receivers that hang delay no other one at the same origin', async () => {
  // Twenty webhooks with four tries each.
  const hanging = 80;
  answer = (request, response) => {
    if (request.url !== '/hangs') response.writeHead(204).end();
  };
  const patient = openPoster(60_000);
  const send = (path: string) => patient.post(new URL(path, origin), {}, '{}');
  const others = Promise.allSettled(Array.from({ length: hanging }, () => send('/hangs')));
  expect(await send('/in')).toMatchObject({ status: 204 });
  patient.close();
  expect((await others).map(({ status }) => status)).toEqual(Array(hanging).fill('rejected'));
});

test('a connection is used for the next message', async () => {
  const ports = new Set<number | undefined>();
  answer = (request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(200).end('thanks');
  };
  for (let n = 0; n < 3; n++) await post();
  expect(ports.size).toBe(1);
});

test('an answer whose body never ends counts by its status at the limit', async () => {
  answer = (_, response) => response.writeHead(202).write('so far');
  expect(await post()).toMatchObject({ status: 202 });
});

test('a message under way ends with the process', async () => {
  answer = () => poster.close();
  expect(describePostFault(await post().catch((error) => error))).toBe('the request failed (AbortError)');
});

test('a receiver that changes the protocol, which nobody asked for, has not answered', async () => {
  answer = (request) =>
    request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n');
  const fault = await post().catch((error) => error);
  expect(describePostFault(fault)).toBe('the receiver closed the connection without an answer');
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

test('over https only a receiver whose certificate is trusted gets messages', async () => {
  const authority = makeCertificateAuthority();
  onTestFinished(() => authority.remove());
  const { cert, key } = authority.issue('receiver');
  const bodies: string[] = [];
  const secure = createSecureServer(
    { cert: readFileSync(cert), key: readFileSync(key) },
    (request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)));
      request.on('end', () => response.writeHead(204).end());
    },
  );
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void secure.close());
  const url = new URL(`https://localhost:${(secure.address() as AddressInfo).port}/in`);
  const fault = await poster.post(url, {}, '{"n":1}').catch((error) => error);
  expect(describePostFault(fault)).toMatch(/^the request failed \([A-Z_]+\)$/);
  const trusted = getCACertificates();
  onTestFinished(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([...trusted, readFileSync(authority.ca, 'utf8')]);
  expect(await poster.post(url, {}, '{"n":2}')).toMatchObject({ status: 204 });
  expect(bodies).toEqual(['{"n":2}']);
});
