import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeService, type GatewayFixture, startGateway, startService } from './forwarding.fixture.ts';

let service: FakeService;
let gateway: GatewayFixture;
let answer: RequestListener;
beforeEach(async () => {
  service = await startService((request, response) => answer(request, response));
  const urls = [service.url];
  gateway = await startGateway({ 'key-derivation': urls, leases: urls, auth: urls });
});
afterEach(async () => {
  await gateway.close();
  await service.close();
});

describe('answers', () => {
  test('an answer reaches the client whole, small and large: status, headers and bytes', async () => {
    for (const size of [0, 16, 700, 16_384, 16_385, 1_000_000]) {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 256));
      answer = (_request, response) =>
        response.writeHead(418, { 'content-length': size, 'x-size': size }).end(bytes);
      const response = await fetch(`${gateway.url}/keys/film`);
      expect(response.status).toBe(418);
      expect(response.headers.get('content-length')).toBe(String(size));
      expect(response.headers.get('x-size')).toBe(String(size));
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
  });

  test.each([204, 304])('an answer with status %s has no body and announces none', async (status) => {
    answer = (_request, response) => response.writeHead(status).end();
    const text = await gateway.raw('GET /keys/film HTTP/1.1');
    expect(text.slice(9, 12)).toBe(String(status));
    expect(text).not.toMatch(/content-length|transfer-encoding/);
    expect(text).toMatch(/\r\n\r\n$/);
  });

  test('an answer leaves the connection of the client open for its next request', async () => {
    answer = (request, response) => response.writeHead(200, { 'content-length': 1 }).end(request.url?.at(-1));
    const get = (path: string) => `GET /keys/${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
    const connection = gateway.open(get('a') + get('b'));
    expect((await connection.reads('\r\n\r\nb')).match(/HTTP\/1.1 200/g)).toHaveLength(2);
    connection.socket.write(get('c'));
    await connection.reads('\r\n\r\nc');
    connection.socket.destroy();
  });
});

test('a draining gateway serves a key and closes the connection of its client', async () => {
  answer = (_request, response) => response.end('key');
  gateway.drain();
  const connection = gateway.open('GET /keys/film HTTP/1.1\r\nhost: a\r\n\r\n');
  expect(await connection.all()).toMatch(/^HTTP\/1.1 200 .*connection: close.*key/is);
});

describe('a stream', () => {
  const eventStream = { 'content-type': 'text/event-stream', connection: 'close' };

  test('an event stream ends at the service when the client leaves', async () => {
    const gone = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        response.once('close', () => resolve());
        response.writeHead(200, eventStream).write(':\n\n');
      };
    });
    const connection = gateway.open('GET /api/v1/events HTTP/1.1\r\nhost: a\r\n\r\n');
    await connection.reads(':\n\n');
    connection.socket.destroy();
    await gone;
    expect(await gateway.linesWritten(1)).toMatchObject([{ status: 200 }]);
    expect(gateway.faults).toEqual([]);
  });

  test('a stream waits at the service while its client does not read', async () => {
    const total = 32 * 1024 * 1024;
    let written = 0;
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': total });
      const chunk = Buffer.alloc(64 * 1024);
      const fill = () => {
        while (written < total) {
          written += chunk.length;
          if (!response.write(chunk)) return;
        }
        response.end();
      };
      response.on('drain', fill);
      fill();
    };
    const connection = gateway.open('GET /keys/film HTTP/1.1\r\nhost: a\r\n\r\n');
    connection.socket.pause();
    // It has come to a standstill once many other requests are answered and nothing more is written meanwhile.
    let before = -1;
    for (let still = 0; still < 20; still = written === before && written > 0 ? still + 1 : 0) {
      before = written;
      await fetch(`${gateway.url}/health`);
    }
    expect(written).toBeLessThan(total / 2);
    connection.socket.resume();
    while (written < total) await new Promise((resolve) => connection.socket.once('data', resolve));
    connection.socket.destroy();
  });
});

describe('a client that goes away', () => {
  test('a client that leaves before the answer ends its request at the service, and is logged as 499', async () => {
    const gone = new Promise<void>((resolve) => {
      answer = (request) => request.socket.once('close', () => resolve());
    });
    const connection = gateway.open('GET /keys/film HTTP/1.1\r\nhost: a\r\n\r\n');
    await service.came(1);
    connection.socket.destroy();
    await gone;
    expect(await gateway.linesWritten(1)).toMatchObject([{ status: 499 }]);
    expect(gateway.faults).toEqual([]);
  });
});
