import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { DeferredAnswer, PlainExchange } from '@latchkey/shared/http';
import type { RequestLine } from '@latchkey/shared/log';
import { expect, onTestFinished, test } from 'vitest';
import { createPlainForwarder } from './forward-plain-requests.ts';
import {
  type FakeService,
  type GatewayFixture,
  refusingUrls,
  startGateway,
  startService,
} from './forwarding.fixture.ts';
import {
  get,
  listCounted,
  oddForms,
  oddSessions,
  pageOrigin,
  readCounts,
} from './odd-key-requests.fixture.ts';
import { routeTable } from './route-table.ts';

/** Makes the router take the request, and is not forwarded. */
const byRouter = '\r\ncontent-length: 0';
const bearer = 'authorization: Bearer a.b.c';
const sid = Buffer.alloc(32, 7).toString('base64url');
const film = (...headers: string[]) => get('/keys/film/0', bearer, ...headers);

const madeId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const steady = (text: string) => text.replace(/^date: .*$/gim, 'date').replace(madeId, 'id');

const servesKey: RequestListener = (request, response) =>
  response
    .writeHead(200, {
      'x-request-id': String(request.headers['x-request-id']),
      'cache-control': 'no-store',
      'content-type': 'application/octet-stream',
      'content-length': 16,
      'x-latchkey-principal': `viewer ${encodeURIComponent('żółw 100%')}`,
      'x-latchkey-route': '/keys/:contentId/:epoch',
    })
    .end('\x00\xff0123456789abcd', 'latin1');

const lastPath = '/nothing';
const last = `GET ${lastPath} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;

/** What one request leaves behind. */
interface Trace {
  bytes: string;
  line: unknown;
  /** How the service got it. */
  received: unknown;
  counted: string[];
  /** Reasons of failures, and requests that were not sent. */
  failed: string[];
}

async function trace(gateway: GatewayFixture, service: FakeService | null, request: string): Promise<Trace> {
  const lines = gateway.lines.length;
  const received = service?.received.length ?? 0;
  const failed = gateway.faults.length;
  const before = await readCounts(gateway.metrics);
  const own = /^connection: (.*)$/im.exec(request)?.[1];
  // One after it ends the connection.
  const keeps = own !== undefined && own !== 'close';
  const end = own === undefined ? 'connection: close\r\n\r\n' : `\r\n${keeps ? last : ''}`;
  const text = `${request}\r\n${end}`;
  const bytes = steady(await gateway.open(text).all());
  await gateway.linesWritten(lines + (keeps ? 2 : 1));
  const after = await readCounts(gateway.metrics);
  return {
    bytes,
    line: steadyLine(gateway.lines.slice(lines).find(({ path }) => path !== lastPath)),
    received: service?.received.slice(received).map(({ url, rawHeaders }) => steady(`${url} ${rawHeaders}`)),
    counted: listCounted(before, after),
    failed: gateway.faults.slice(failed),
  };
}

function steadyLine(line: RequestLine | undefined): unknown {
  const { durationMs, ...rest } = line as RequestLine;
  expect(durationMs).toBeGreaterThanOrEqual(0);
  return JSON.parse(steady(JSON.stringify(rest)));
}

/** @param answer of the service; null: none listens */
async function start(answer: RequestListener | null) {
  const service = answer && (await startService(answer));
  const gateway = await startGateway(
    { 'key-derivation': [service?.url ?? (refusingUrls[0] as string)], leases: service ? [service.url] : [] },
    { corsOrigins: [pageOrigin] },
  );
  onTestFinished(async () => {
    await gateway.close();
    await service?.close();
  });
  return { gateway, service };
}

test('each of many odd requests for a key is forwarded, answered, logged and counted below the router as by the router', async () => {
  const { gateway, service } = await start(servesKey);
  let plainOnes = 0;
  // After `Upgrade`, Node reads what follows in different ways with and without a body. Such requests go to the router.
  const forms = [...oddForms(bearer), ...oddSessions(sid)].filter((request) => !/^upgrade:/im.test(request));
  // The first ones again, because the path of a served key is remembered.
  for (const request of [
    ...forms,
    film(),
    ...forms.slice(0, 10),
    get('/keys/film', bearer),
    film('via: 1.0 a'),
  ]) {
    const before = gateway.routed();
    const plain = await trace(gateway, service, request);
    if (gateway.routed() === before) plainOnes++;
    expect(await trace(gateway, service, request + byRouter), request).toEqual(plain);
  }
  expect(plainOnes).toBeGreaterThan(35);
  expect(JSON.stringify(gateway.lines)).not.toContain(sid.slice(-20));
});

const answers: Record<string, RequestListener | null> = {
  'a refusal': (_request, response) =>
    response
      .writeHead(403, {
        'content-type': 'application/problem+json',
        'x-latchkey-code': 'LEASE_REVOKED',
        'x-latchkey-route': '/keys/:contentId/:epoch',
      })
      .end('{"code":"LEASE_REVOKED"}'),
  'headers that are not for the client': (_request, response) =>
    response
      .writeHead(200, {
        connection: 'x-hop',
        'x-hop': '1',
        'x-latchkey-other': '1',
        'access-control-allow-origin': '*',
        vary: 'Accept',
        'set-cookie': ['a=1', 'b=2'],
        'cache-control': 'max-age=9',
      })
      .end('ok'),
  'no body': (_request, response) => response.writeHead(204).end(),
  'a large body': (_request, response) =>
    response.writeHead(200, { 'content-length': 300_000 }).end(Buffer.alloc(300_000, 'x')),
  'a body of unknown length': (_request, response) => {
    response.write('one');
    response.end('two');
  },
  'an interim answer': (_request, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('final');
  },
  'a refused secret': (_request, response) =>
    response.writeHead(401, { 'x-latchkey-refused': 'secret' }).end(),
  'a service that is starting': (_request, response) =>
    response.writeHead(503, { 'x-latchkey-phase': 'starting' }).end(),
  'a broken connection': (request) => request.socket.destroy(),
  'an answer that breaks off': (request, response) => {
    response.writeHead(200, { 'content-length': 16 });
    response.write('half', () => request.socket.destroy());
  },
  'no listener': null,
};

test.each(Object.entries(answers))(
  'below the router the client, the log and the metrics get the same as by the router, for %s',
  async (_what, answer) => {
    for (const extra of [[], [`origin: ${pageOrigin}`, 'x-request-id: mine']]) {
      const traces: Trace[] = [];
      for (const end of ['', byRouter]) {
        // A gateway for each: what it learns about an address from one way must not decide the other.
        const { gateway, service } = await start(answer);
        traces.push(await trace(gateway, service, film(...extra) + end));
        expect(gateway.routed()).toBe(end === '' ? 0 : 1);
      }
      const [plain, routed] = traces.map((one) => JSON.parse(withoutOwnWords(JSON.stringify(one))));
      expect(plain).toEqual(routed);
    }
  },
);

/** Without ports, and without the word of the two clients for a connection that broke. */
const withoutOwnWords = (text: string) =>
  text.replace(/127\.0\.0\.1:\d+/g, 'address').replace(/"(?:UND_ERR_SOCKET|ECONNRESET) /g, '"');

/** Whether the forwarder remembers a path: it then returns the same answer each time. */
function createProbe() {
  const forward = createPlainForwarder(routeTable, () => {});
  const answerTo = (url: string, method = 'GET') =>
    forward({ method, url } as IncomingMessage) as DeferredAnswer | null;
  return {
    answerTo,
    isKnown(url: string) {
      const first = answerTo(url);
      return first === answerTo(url);
    },
    serve(url: string, statusCode: number) {
      const response = Object.assign(new EventEmitter(), { statusCode });
      answerTo(url)?.begin({ response } as unknown as PlainExchange);
      response.emit('finish');
    },
  };
}

test('the gateway remembers paths of served keys only, so paths that name nothing push none of them out', () => {
  const { isKnown, serve } = createProbe();
  serve('/keys/film/0', 200);
  for (let n = 0; n < 5_000; n++) serve(`/keys/none-${n}`, 404);
  expect([isKnown('/keys/film/0'), isKnown('/keys/none-0'), isKnown('/keys/none-4999')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('the gateway remembers 1,024 paths of served keys at most, however many are served', () => {
  const { isKnown, serve } = createProbe();
  const urls = Array.from({ length: 5_000 }, (_, n) => `/keys/film/${n}`);
  for (const url of urls) serve(url, 200);
  expect(urls.filter(isKnown).length).toBeLessThanOrEqual(1_024);
  expect(isKnown('/keys/film/4999')).toBe(true);
});

test('paths of other services, other methods, queries, escapes and too long ids are left to the router', () => {
  const { answerTo } = createProbe();
  const paths = [
    '/keys/leases',
    '/keys/leases/renew',
    '/keys/leases/5',
    '/keys',
    '/keys/',
    '/keys/a/b',
    '/keys/a?s=1',
  ];
  for (const path of [
    ...paths,
    '/keys/%61',
    `/keys/${'x'.repeat(257)}`,
    '/keys/a/12345678901',
    'http://a/keys/a',
  ])
    expect(answerTo(path), path).toBe(null);
  expect(answerTo('/keys/a', 'HEAD')).toBe(null);
  expect(answerTo('/keys/a')).not.toBe(null);
});

test('a draining gateway leaves requests for keys to the router, which closes their connections', async () => {
  const { gateway } = await start(servesKey);
  gateway.drain();
  expect(await gateway.open(`${film()}\r\n\r\n`).all()).toMatch(/^HTTP\/1.1 200 .*connection: close/is);
  expect(gateway.routed()).toBe(1);
});
