import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  answersCome,
  type GatewayFixture,
  refusingUrls,
  serveInTest,
  startGatewayInTest,
} from './forwarding.fixture.ts';

/** A service that sends this text byte for byte once a request has come, and then closes. */
async function garbler(text: string): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(text, 'latin1'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const get = (gateway: GatewayFixture) => fetch(`${gateway.url}/keys/film`);
const post = (gateway: GatewayFixture) =>
  fetch(`${gateway.url}/keys/leases`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });

/** The answer of a gateway whose service gave none. */
async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({
    code: 'DEPENDENCY_UNAVAILABLE',
    requestId: response.headers.get('x-request-id'),
  });
}

describe('an address that takes no connection', () => {
  test.each(['GET', 'POST'])(
    'a %s succeeds if one address refuses the connection and another accepts it',
    async (method) => {
      const service = await serveInTest((_request, response) => response.end('ok'));
      const gateway = await startGatewayInTest([...refusingUrls, service.url]);
      for (let round = 0; round < 6; round++)
        expect((await (method === 'GET' ? get(gateway) : post(gateway))).status).toBe(200);
      expect(gateway.faults).toEqual([]);
    },
  );

  test('a request gets 503 with Retry-After if the only address refuses connections, and the log says so', async () => {
    const gateway = await startGatewayInTest(refusingUrls.slice(0, 1));
    await expectUnavailable(await get(gateway));
    await expectUnavailable(await post(gateway));
    expect(gateway.faults).toHaveLength(2);
    expect(gateway.faults[0]).toContain('ECONNREFUSED');
    const failure = { cause: expect.stringContaining('ECONNREFUSED'), upstream: 'key-derivation', tries: 1 };
    expect(gateway.lines).toMatchObject([
      { status: 503, code: 'DEPENDENCY_UNAVAILABLE', failure },
      { status: 503, failure: { upstream: 'leases' } },
    ]);
  });

  test('the log line of a 503 of a service names what the service could not reach, the way there and its tries', async () => {
    const headers = {
      'content-type': 'application/problem+json',
      'x-latchkey-code': 'DEPENDENCY_UNAVAILABLE',
      'x-latchkey-failure': '3 leases connect%20ECONNREFUSED',
    };
    const service = await serveInTest(({ url }, response) =>
      response.writeHead(503, url === '/keys/film' ? headers : {}).end('{}'),
    );
    const gateway = await startGatewayInTest([service.url]);
    const answer = await get(gateway);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('x-latchkey'))).toEqual([]);
    await fetch(`${gateway.url}/keys/other`);
    const [told, untold] = await gateway.linesWritten(2);
    expect(told?.failure).toEqual({
      cause: 'connect ECONNREFUSED',
      upstream: 'key-derivation > leases',
      tries: 3,
    });
    expect(untold?.failure).toEqual({
      cause: 'key-derivation answered 503 without a reason',
      upstream: 'key-derivation',
      tries: 1,
    });
  });

  test('a request gets 503 if no address is known', async () => {
    await expectUnavailable(await get(await startGatewayInTest([])));
  });
});

describe('a connection that breaks before the answer', () => {
  test('a POST whose connection broke is not sent again, because it may have taken effect', async () => {
    const service = await serveInTest((request) => request.socket.destroy());
    await expectUnavailable(await post(await startGatewayInTest([service.url, service.url])));
    expect(service.received).toHaveLength(1);
  });

  test.each([16, 10_000])(
    'a small answer of %s bytes that breaks off never reaches the client in part',
    async (size) => {
      const service = await serveInTest((request, response) => {
        response.writeHead(200, { 'content-length': size });
        response.write('half', () => request.socket.destroy());
      });
      const gateway = await startGatewayInTest([service.url]);
      await expectUnavailable(await get(gateway));
      await expectUnavailable(await post(gateway));
      expect(service.received).toHaveLength(3);
    },
  );
});

test('an answer that breaks off after its head breaks off at the client, and the log says so', async () => {
  const service = await serveInTest((request, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write('x'.repeat(50_000), () => request.socket.destroy());
  });
  const gateway = await startGatewayInTest([service.url]);
  const connection = gateway.open('GET /keys/film HTTP/1.1\r\nhost: a\r\n\r\n');
  expect((await connection.all()).length).toBeLessThan(60_000);
  expect(gateway.faults).toHaveLength(1);
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
});

describe('a service that hangs', () => {
  test('a request to a hanging service gets 503 within the time limit, and is ended', async () => {
    const time = stopTime();
    let ended: () => void = () => {};
    const gone = new Promise<void>((resolve) => (ended = resolve));
    const service = await serveInTest((request) => request.socket.once('close', () => ended()));
    const gateway = await startGatewayInTest([service.url], { answerLimitMs: 100 });
    const answer = get(gateway);
    await service.came(1);
    time.advance(100);
    await expectUnavailable(await answer);
    await gone;
    expect(gateway.faults).toEqual(['key-derivation: Error: no answer within 100 ms']);
  });

  test('a request that waits for a connection to a hanging service gets 503 within the time limit', async () => {
    const time = stopTime();
    const service = await serveInTest(() => {});
    const gateway = await startGatewayInTest([service.url], { answerLimitMs: 200, connections: 1 });
    const answers = Promise.all([get(gateway), get(gateway), get(gateway)]);
    await time.begun(200, 3);
    await service.came(1);
    // One after the other would be three times the limit.
    time.advance(200);
    for (const response of await answers) await expectUnavailable(response);
  });

  test('a revocation gets a longer time limit, because a large content has many leases', async () => {
    const time = stopTime();
    let revoked: () => void = () => {};
    const service = await serveInTest((request, response) => {
      if (request.url === '/keys/leases/revoke') revoked = () => response.end('{"revoked":100000}');
    });
    const gateway = await startGatewayInTest([service.url], { answerLimitMs: 200 });
    const revocation = fetch(`${gateway.url}/keys/leases/revoke`, { method: 'POST' });
    const key = get(gateway);
    await service.came(2);
    time.advance(59_999);
    await expectUnavailable(await key);
    revoked();
    expect(await (await revocation).json()).toEqual({ revoked: 100_000 });
  });

  test('a request gets 503 if the service hangs in the middle of a small answer', async () => {
    const time = stopTime();
    const service = await serveInTest((_request, response) =>
      response.writeHead(200, { 'content-length': 16 }).write('half'),
    );
    const gateway = await startGatewayInTest([service.url], { answerLimitMs: 100 });
    const begun = answersCome(1, 'heads');
    const answer = get(gateway);
    await begun;
    time.advance(100);
    await expectUnavailable(await answer);
  });
});

describe('what is no proper answer', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a header that no client may get', 'HTTP/1.1 200 OK\r\nx-odd: \xe9\x01\r\ncontent-length: 2\r\n\r\nok'],
    [
      'an upgrade that was not requested',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok'],
  ])('an answer that is not valid HTTP gives the client a 503: %s', async (_what, text) => {
    const gateway = await startGatewayInTest([await garbler(text)]);
    await expectUnavailable(await get(gateway));
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });

  test('a service that refuses INTERNAL_SECRET gives the client a 503 and not a 401, which no client could repair', async () => {
    const service = await serveInTest((_request, response) =>
      response.writeHead(401, { 'x-latchkey-refused': 'secret' }).end(),
    );
    const gateway = await startGatewayInTest([service.url]);
    await expectUnavailable(await get(gateway));
    expect(gateway.faults[0]).toContain('INTERNAL_SECRET');
  });
});
