import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type FakeService,
  type GatewayFixture,
  secret,
  startGateway,
  startService,
} from './forwarding.fixture.ts';

let service: FakeService;
let gateway: GatewayFixture;
let answer: RequestListener;
beforeEach(async () => {
  answer = (_request, response) => response.end('ok');
  service = await startService((request, response) => answer(request, response));
  gateway = await startGateway(
    { 'key-derivation': [service.url], leases: [service.url], auth: [service.url] },
    { corsOrigins: ['https://app.example'] },
  );
});
afterEach(async () => {
  await gateway.close();
  await service.close();
});

/** The headers with which a request arrives at the service. */
async function sent(...lines: string[]) {
  await gateway.raw(`GET /keys/film HTTP/1.1\n${lines.join('\n')}`);
  const [request] = service.received;
  if (!request) throw new Error('nothing came');
  return request;
}
/** The head of an answer with these headers, as the client reads it. */
async function answered(headers: Record<string, string | string[]>, ...asked: string[]) {
  answer = (_request, response) => response.writeHead(200, headers).end('ok');
  return (await gateway.raw(`GET /keys/film HTTP/1.1\n${asked.join('\n')}`)).toLowerCase();
}

describe('on the way in', () => {
  test('hop-by-hop headers, and headers that Connection names, are not forwarded', async () => {
    const { headers } = await sent(
      'connection: x-mine, Keep-Alive',
      'x-mine: 1',
      'keep-alive: timeout=5',
      'te: trailers',
      'trailer: expires',
      'upgrade: websocket',
      'proxy-authorization: Basic eA==',
      'proxy-connection: keep-alive',
      'x-other: 2',
    );
    expect(headers).toMatchObject({ 'x-other': '2' });
    for (const name of [
      'x-mine',
      'keep-alive',
      'te',
      'trailer',
      'upgrade',
      'proxy-authorization',
      'proxy-connection',
    ])
      expect(headers).not.toHaveProperty(name);
  });

  test('a client can forge neither its address nor the headers of the gateway', async () => {
    const { headers, rawHeaders } = await sent(
      'x-forwarded-for: 6.6.6.6',
      'x-forwarded-proto: https',
      'x-forwarded-host: evil',
      'x-forwarded-anything: 1',
      'forwarded: for=6.6.6.6',
      'x-real-ip: 6.6.6.6',
      'x-latchkey-secret: guess',
      'x-latchkey-direct: 1',
      'x-latchkey-principal: api-key 1',
      'connection: x-latchkey-secret, x-forwarded-for',
    );
    expect(
      Object.keys(headers)
        .filter((name) => /^(x-forwarded-|forwarded|x-real-ip|x-latchkey-)/.test(name))
        .sort(),
    ).toEqual(['x-forwarded-for', 'x-latchkey-secret']);
    expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-latchkey-secret': secret });
    expect(rawHeaders.filter((name) => name.toLowerCase() === 'x-latchkey-secret')).toHaveLength(1);
  });

  test.each([
    ['straight from this machine', 'localhost:PORT', '', '1', undefined],
    ['through a proxy', 'localhost:PORT', 'via: 1.1 proxy', undefined, undefined],
    ['of a page of another origin', 'localhost:PORT', 'origin: https://evil.example', '1', 'origin'],
    ['that lies', 'localhost:PORT', 'x-latchkey-foreign-page: origin', '1', undefined],
  ])(
    'the gateway tells the service where a call of setup comes from: %s',
    async (_what, host, line, direct, foreignPage) => {
      const named = `host: ${host.replace('PORT', String(gateway.port))}`;
      const head = ['POST /api/v1/setup HTTP/1.1', named, 'connection: close', line].filter(Boolean);
      await gateway.open(`${head.join('\r\n')}\r\n\r\n`).all();
      const headers = service.received[0]?.headers ?? {};
      expect([headers['x-latchkey-direct'], headers['x-latchkey-foreign-page']]).toEqual([
        direct,
        foreignPage,
      ]);
    },
  );

  test('a cookie from a page of another origin is dropped from requests that change something, and from a page of another site always', async () => {
    const cookieOf = async (method: string, line: string) => {
      await gateway.raw(`${method} /keys/leases HTTP/1.1\ncookie: latchkey_token=x\n${line}`);
      return service.received.at(-1)?.headers.cookie;
    };
    const own = 'latchkey_token=x';
    expect(await cookieOf('POST', 'origin: https://evil.example')).toBeUndefined();
    expect(await cookieOf('POST', 'sec-fetch-site: same-site')).toBeUndefined();
    expect(await cookieOf('POST', 'origin: https://app.example')).toBe(own);
    expect(await cookieOf('POST', 'origin: https://a\nsec-fetch-site: same-origin')).toBe(own);
    expect(await cookieOf('POST', 'user-agent: no browser')).toBe(own);
    expect(await cookieOf('GET', 'sec-fetch-site: cross-site')).toBeUndefined();
    expect(await cookieOf('GET', 'sec-fetch-site: cross-site\norigin: https://app.example')).toBe(own);
    expect(await cookieOf('GET', 'sec-fetch-site: same-site')).toBe(own);
  });

  test('the gateway adds itself to the Via header (RFC 9110 section 7.6.3)', async () => {
    expect((await sent('via: 1.1 proxy')).headers.via).toBe('1.1 proxy, 1.1 latchkey');
  });

  test('the service gets the request id of the log line', async () => {
    const own = await sent('x-request-id: not fit to print');
    const [line] = await gateway.linesWritten(1);
    expect(own.headers['x-request-id']).toBe(line?.requestId);
    await gateway.raw('GET /keys/film HTTP/1.1\nx-request-id: mine-1');
    expect(service.received[1]?.headers['x-request-id']).toBe('mine-1');
  });
});

describe('on the way out', () => {
  test('internal and hop-by-hop headers of a service do not reach the client', async () => {
    const head = await answered({
      'x-latchkey-principal': 'viewer ann',
      'x-latchkey-code': 'INTERNAL',
      'x-latchkey-route': '/keys/:contentId',
      'X-Latchkey-Other': '1',
      connection: 'x-hop',
      'x-hop': '1',
      'keep-alive': 'timeout=72',
      'x-kept': '1',
    });
    expect(head).toContain('x-kept: 1');
    expect(head).not.toMatch(/x-latchkey|x-hop|timeout=72/);
  });

  test('each CORS header comes once, from the gateway', async () => {
    const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'x-all' };
    const head = await answered({ ...cors, vary: 'Accept-Encoding' }, 'origin: https://app.example');
    expect(head.match(/access-control-allow-origin: .*/g)).toEqual([
      'access-control-allow-origin: https://app.example',
    ]);
    expect(head.match(/access-control-expose-headers/g)).toHaveLength(1);
    expect(head.match(/vary: .*/g)).toEqual(['vary: origin, accept-encoding']);
    expect(await answered(cors, 'origin: https://evil.example')).not.toContain('access-control-');
  });

  test('request id and date come once, and the caching headers come from the service', async () => {
    const head = await answered(
      { 'x-request-id': 'other', date: 'never', 'cache-control': 'max-age=9' },
      'x-request-id: mine',
    );
    expect(head.match(/x-request-id: .*/g)).toEqual(['x-request-id: mine']);
    expect(head.match(/\ndate: /g)).toHaveLength(1);
    expect(head.match(/cache-control: .*/g)).toEqual(['cache-control: max-age=9']);
    expect(await answered({})).toContain('cache-control: no-store');
  });

  test('headers that a service sends several times stay separate', async () => {
    expect((await answered({ 'set-cookie': ['a=1', 'b=2'] })).match(/set-cookie: .*/g)).toEqual([
      'set-cookie: a=1',
      'set-cookie: b=2',
    ]);
  });
});
