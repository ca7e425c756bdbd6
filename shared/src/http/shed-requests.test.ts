import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '../errors/errors.ts';
import type { RequestLine } from '../log/index.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createSilentHost } from '../testing/silent-host.ts';
import { createHost } from './host.ts';
import { addPlainAnswerer } from './plain-answers.ts';

/** So many that a turn of the event loop reads enough of them to count, even if it reads the other half in the next one. */
const floodConnections = 400;
const page = 'https://page.example';
/**
 * A host whose event loop may be late by a millisecond, and that refuses every request that it may refuse. By its clock each look takes a
 * millisecond, so a turn of many requests is late on every machine.
 */
async function startHost() {
  let time = 0;
  const nowMs = () => ++time;
  const lines: RequestLine[] = [];
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  let made = 0;
  const metrics = createMetrics();
  const app = createHost({
    randomId: () => `made-${++made}`,
    clientIpOf: () => '192.0.2.1',
    requestLog: { write: (line) => void lines.push(line), flush: () => {} },
    operatorLog: { info: note, warn: note, error: note },
    metrics,
    crossOriginHeaders: ({ headers: { origin } }) =>
      origin === page ? { vary: 'Origin', 'access-control-allow-origin': page } : {},
    overload: { targetMs: 1, random: () => 0.999_999, nowMs, isBehindGateway: false },
  });
  const config = { access: 'open' as const };
  app.get('/keys/:contentId', { config }, async (request) => {
    if ((request.params as { contentId: string }).contentId === 'lost')
      throw new AppError('DEPENDENCY_UNAVAILABLE');
    return 'key';
  });
  const looked: string[] = [];
  addPlainAnswerer(app, (request) => {
    if (request.url !== '/keys/known') return null;
    looked.push(String(request.headers['x-request-id']));
    const principal = { kind: 'session', id: 'ann' } as never;
    return {
      route: '/keys/:contentId',
      path: '/keys/known',
      principal,
      headers: { 'content-type': 'text/plain' },
      body: 'known',
    };
  });
  app.post('/keys/leases', { config }, async () => 'lease');
  app.post('/keys/leases/revoke', { config }, async () => 'revoked');
  app.delete('/api/v1/content/:id', { config }, async () => 'gone');
  app.get('/health', { config }, async () => 'ok');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, lines, logged, metrics, looked };
}

type Host = Awaited<ReturnType<typeof startHost>>;

const keyRequest = 'GET /keys/film HTTP/1.1\r\nhost: a\r\n\r\n';

/** Connections that each ask for a key, and again as soon as they have an answer. In one process they all ask in the same turns. */
async function startFlood({ port }: Host) {
  let isOver = false;
  let onRefused = () => {};
  const refused = new Promise<void>((resolve) => {
    onRefused = resolve;
  });
  const sockets: Socket[] = [];
  for (let n = 0; n < floodConnections; n++) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    sockets.push(socket);
    socket.on('data', (chunk) => {
      if (chunk.toString('latin1', 9, 12) === '503') onRefused();
      if (!isOver) socket.write(keyRequest);
    });
  }
  for (const socket of sockets) socket.write(keyRequest);
  const end = () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
  return { refused, end };
}

/** Sends bytes on a connection of its own, and reads until so many answers have come or the server closes it. */
async function exchange({ port }: Host, text: string, answers = 1): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let all = '';
  for await (const chunk of socket) {
    all += (chunk as Buffer).toString('latin1');
    const complete = all
      .split('HTTP/1.1 ')
      .slice(1)
      .filter((one) => {
        const length = Number(/^content-length: (\d+)/im.exec(one)?.[1]);
        const headEnd = one.indexOf('\r\n\r\n');
        return headEnd >= 0 && one.length >= headEnd + 4 + length;
      });
    if (complete.length >= answers) break;
  }
  socket.destroy();
  return all;
}

/** @returns the host, what ends the flood, and what ends both */
async function untilOverloaded() {
  const host = await startHost();
  const flood = await startFlood(host);
  await flood.refused;
  const end = async () => {
    flood.end();
    await host.app.close();
  };
  return { host, flood, end };
}

/** As `untilOverloaded`, to the end of the test. */
async function overloadInTest() {
  const { host, flood, end } = await untilOverloaded();
  onTestFinished(end);
  return { host, flood };
}

const get = (path: string, ...lines: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'host: a', ...lines].join('\r\n')}\r\n\r\n`;
const send = (method: string, path: string, body: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
/** Without what differs between two answers of the same kind. */
const steady = (text: string) =>
  text
    .replace(/^date: .*\r\n/im, '')
    .replace(/^retry-after: [123]\r\n/im, 'retry-after: n\r\n')
    .replace(/^content-length: .*\r\n/im, '')
    .replace(/"detail":"[^"]+"/, '"detail":""');

test('a refusal for an overload has the headers and the problem of any other 503, CORS and the request id included', async () => {
  const { host, flood } = await overloadInTest();
  const lines = [`origin: ${page}`, 'x-request-id: mine'];
  const refused = await exchange(host, get('/keys/lost', ...lines));
  const refusedByListener = await exchange(host, get('/keys/lost', ...lines, 'content-length: 0'));
  flood.end();
  await exchange(host, get('/health'));
  const usual = await exchange(host, get('/keys/lost', ...lines));
  expect(refused).toContain('More requests come than the server can serve');
  expect(usual).not.toContain('More requests');
  expect(steady(refused)).toBe(steady(usual));
  expect(steady(refusedByListener)).toBe(steady(usual));
});

test('each refusal has one line in the log and counts once in each metric', async () => {
  const { host, flood } = await overloadInTest();
  await exchange(host, keyRequest);
  await exchange(host, send('POST', '/keys/leases', '{}'));
  flood.end();
  await exchange(host, get('/health'));
  const refused = host.lines.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(floodConnections / 2);
  expect(refused[0]).toEqual({
    requestId: expect.stringMatching(/^made-/),
    method: 'GET',
    path: '/keys/film',
    route: '/keys/*',
    status: 503,
    durationMs: 0,
    clientIp: '192.0.2.1',
    userAgent: null,
    principal: null,
    code: 'DEPENDENCY_UNAVAILABLE',
    failure: { cause: 'more requests come than this process can serve', upstream: null, tries: null },
  });
  const text = await host.metrics.registry.metrics();
  expect(text).toContain(
    `latchkey_shed_requests_total{upstream="own",reason="overloaded"} ${refused.length}\n`,
  );
  const keys = refused.filter(({ route }) => route !== null).length;
  expect(text).toContain(
    `http_server_request_duration_seconds_count{route="/keys/*",method="GET",status="503"} ${keys}\n`,
  );
  expect(host.logged.filter((message) => message.includes('OVERLOAD_DELAY_MS'))).toHaveLength(1);
});

describe('on a host that stays overloaded', () => {
  let host: Host;
  let end = async () => {};
  beforeAll(async () => {
    const overloaded = await untilOverloaded();
    host = overloaded.host;
    end = overloaded.end;
  });
  afterAll(() => end());

  test('requests that a client sends in one packet are answered in their order, the refused ones among them', async () => {
    const ids = (text: string) => [...text.matchAll(/x-request-id: (\w+)/g)].map(([, id]) => id);
    const one = (id: string) => get('/keys/film', `x-request-id: ${id}`);
    const probe = (id: string) => get('/health', `x-request-id: ${id}`);
    const all = await exchange(host, one('a') + probe('b') + one('c') + one('d') + probe('e'), 5);
    expect(ids(all)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(statusesOf(all).filter((status) => status === '200').length).toBeGreaterThanOrEqual(2);
  });

  test('a key that the process can answer from memory is served in an overload, and is looked up once', async () => {
    for (const id of ['k1', 'k2', 'k3']) {
      const all = await exchange(host, get('/keys/known', `x-request-id: ${id}`));
      expect(statusesOf(all)).toEqual(['200']);
      expect(all).toMatch(/\r\n\r\nknown$/);
      expect(host.looked.filter((one) => one === id)).toEqual([id]);
    }
    const pipelined = get('/keys/known', 'x-request-id: k4') + get('/keys/known', 'x-request-id: k5');
    expect(statusesOf(await exchange(host, pipelined, 2))).toEqual(['200', '200']);
  });

  test('a refused request with a body leaves its connection in step: the next request on it is read as one', async () => {
    const inside = get('/health');
    const all = await exchange(
      host,
      send('POST', '/keys/leases', inside) + get('/health', 'x-request-id: last'),
      2,
    );
    expect(statusesOf(all)).toEqual(['503', '200']);
    expect(all).toContain('x-request-id: last');
  });

  test('a refused request whose transfer coding is wrong closes its connection, as it does without an overload', async () => {
    const coded =
      'POST /keys/leases HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n';
    const all = await exchange(host, coded + get('/health'), 2);
    expect(statusesOf(all)).toEqual(['400']);
    expect(all).toMatch(/^connection: close/im);
  });

  test('this release of Node lets requests be refused before it makes an answer', async () => {
    let asked = 0;
    host.app.server.prependListener('request', ({ headers }) => {
      if (headers['x-request-id'] === 'asked') asked++;
    });
    expect(statusesOf(await exchange(host, get('/keys/film', 'x-request-id: asked')))).toEqual(['503']);
    expect(asked).toBe(0);
  });
});

test('a host without a limit for the delay refuses nothing: it looks at no connection', async () => {
  const app = createSilentHost();
  // One is Node's, and one closes connections that send nothing once the host ends.
  expect(app.server.listenerCount('connection')).toBe(2);
  await app.close();
});
