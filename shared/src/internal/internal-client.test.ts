import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serveHttp } from '../testing/serve-http.ts';
import { stopTime } from '../testing/stop-time.ts';
import { connectService } from '../testing/test-upstream.ts';
import {
  createApiKeyClient,
  createContentClient,
  createFeedClient,
  createKeyVersionClient,
  createLeaseClient,
} from './index.ts';
import { BatchRefused, type InternalClient } from './internal-client.ts';

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const serveJson = (body: unknown, status = 200) =>
  serveHttp((_request, response) => response.writeHead(status).end(textOf(body)));
/** Addresses at which nothing listens: the system gives these ports to nobody. */
const refusing = [9, 8, 7].map((port) => `http://127.0.0.1:${port}`);

/** A client whose service answers every call with this. */
const answering = (body: unknown): InternalClient => ({
  get: async (_path, parse) => parse(body),
  post: async (_path, _body, parse) => parse(body),
  readMany: () => Promise.reject(new BatchRefused('it answered 404')),
});
const unavailable = { code: 'DEPENDENCY_UNAVAILABLE', status: 503 };
const as = (body: unknown) => body;

describe('a question', () => {
  test('a call to another service carries the secret, and a body its type', async () => {
    const seen: unknown[] = [];
    const { url } = await serveHttp((request, response) => {
      const { method, url, headers } = request;
      seen.push([method, url, headers['x-latchkey-secret'], headers['content-type']]);
      response.end('{"a":1}');
    });
    const client = connectService([url]);
    expect(await client.get('/internal/x?y=1', as)).toEqual({ a: 1 });
    expect(await client.post('/internal/z', {}, as)).toEqual({ a: 1 });
    expect(seen).toEqual([
      ['GET', '/internal/x?y=1', 's3cret', undefined],
      ['POST', '/internal/z', 's3cret', 'application/json'],
    ]);
  });

  test('a call is repeated where the connection broke, unless it may have changed something', async () => {
    let asked = 0;
    const { url } = await serveHttp((request, response) => {
      if (request.url === '/health') response.end();
      else if (++asked % 2 === 1) request.socket.destroy();
      else response.end('{}');
    });
    const client = connectService([url]);
    expect(await client.get('/', as)).toEqual({});
    await expect(client.post('/', {}, as)).rejects.toMatchObject(unavailable);
    expect(asked).toBe(3);
  });

  test('a call waits for one address only up to its limit, then another is called and the first one avoided', async () => {
    const time = stopTime();
    let hung = 0;
    const { url, server } = await serveHttp(({ url: path }) => void (path === '/' && hung++));
    const client = connectService([url, (await serveJson({})).url], { answerTimeoutMs: 50 });
    const waiting = client.get('/', as);
    await once(server, 'request');
    time.advance(50);
    expect(await waiting).toEqual({});
    for (let round = 0; round < 6; round++) expect(await client.get('/', as)).toEqual({});
    expect(hung).toBe(1);
    expect(client.faults).toEqual([]);
  });

  test('a call that waited half of its time for a connection fails, because its answer could not come in time', async () => {
    const time = stopTime();
    const held: ServerResponse[] = [];
    const { url } = await serveHttp((_request, response) => void held.push(response));
    const client = connectService([url], { answerTimeoutMs: 1_000, connections: 4 });
    // As many as there are connections.
    const sent = Promise.all(Array.from({ length: 4 }, () => client.get('/', as)));
    while (held.length < 4) await new Promise(setImmediate);
    const waiting = client.get('/', as);
    const refused = expect(waiting).rejects.toMatchObject(unavailable);
    time.advance(500);
    await refused;
    for (const response of held) response.end('{}');
    expect(await sent).toEqual([{}, {}, {}, {}]);
    expect(held).toHaveLength(4);
  });
});

describe('an answer is not known', () => {
  test('a call without a known address, an answer or valid JSON becomes DEPENDENCY_UNAVAILABLE', async () => {
    for (const urls of [[], refusing, [(await serveJson('<html>')).url], [(await serveJson('')).url]])
      await expect(connectService(urls).get('/', as)).rejects.toMatchObject(unavailable);
  });

  const lease = { viewerId: 'v', contentId: 'c', expiresAt: 1, renewableUntil: 2, revokedAt: null };
  const key = { id: null, name: 'n', scope: 'full', expiresAt: null, revokedAt: null };
  const asked: Record<string, [(client: InternalClient) => Promise<unknown>, unknown[]]> = {
    'an API key': [
      (client) => createApiKeyClient(client).findApiKey('0', true),
      [{ apiKey: { ...key, scope: 'root' } }, { apiKey: { ...key, revokedAt: '1' } }],
    ],
    'a content': [
      (client) => createContentClient(client).findContent('film'),
      [{ content: { status: 'gone', keyVersion: 1 } }, { content: { status: 'active' } }],
    ],
    'a lease': [
      (client) => createLeaseClient(client).findLease('l'),
      [
        { value: lease },
        { value: { ...lease, expiresAt: null }, asOf: 1 },
        { value: { ...lease, revokedAt: undefined }, asOf: 1 },
        { asOf: 1 },
      ],
    ],
    'a mark': [
      (client) => createLeaseClient(client).findMark('v', 'c'),
      [{ value: '1', asOf: 1 }, { value: { blockedUntil: 1 }, asOf: 1 }, { value: 1 }, { asOf: 1 }],
    ],
    'key versions': [
      (client) => createKeyVersionClient(client).compare(new Map()),
      [{ differing: ['1'] }, { differing: [], missing: [null] }],
    ],
    'the head of the feed': [(client) => createFeedClient([client]).head(), [{ head: '1' }, { head: 1.5 }]],
    'a page of the feed': [
      (client) => createFeedClient([client]).since(0),
      [{ head: 1 }, { changes: [] }, { head: 1, changes: [{ number: '1', at: 1 }] }],
    ],
  };
  test.each(Object.entries(asked))(
    'a malformed answer about %s is an error',
    async (_what, [ask, bodies]) => {
      for (const body of [null, [], 'text', {}, ...bodies])
        await expect(ask(answering(body)), JSON.stringify(body)).rejects.toThrow(TypeError);
    },
  );

  test('an answer that cannot be read becomes 503', async () => {
    const client = connectService([(await serveJson({})).url]);
    const read = () => {
      throw new TypeError('the answer is not a lease');
    };
    await expect(client.get('/', read)).rejects.toMatchObject(unavailable);
    expect(client.faults).toEqual(['the answer is not a lease']);
  });
});

test('uses of API keys are reported together, the last one of each key, in bodies of an accepted size', async () => {
  const reported: [string, number][] = [];
  const sizes: number[] = [];
  const { url } = await serveHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    sizes.push(body.length);
    reported.push(...Object.entries(JSON.parse(body).uses as Record<string, number>));
    response.end('{}');
  });
  const client = createApiKeyClient(connectService([url]));
  const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const ids = Array.from({ length: 1_700 }, (_, index) => idOf(index));
  for (const id of ids) client.noteUse(id, 1_767_225_600_005);
  for (const id of ids) client.noteUse(id, 1_767_225_600_001);
  await client.flush();
  await client.flush();
  expect(reported.sort()).toEqual(ids.map((id) => [id, 1_767_225_600_005]));
  expect(Math.max(...sizes)).toBeLessThan(64 * 1024);
});

test('uses of API keys that could not be reported are reported the next time, unless a later one exists', async () => {
  const bodies: unknown[] = [];
  let lost = true;
  const auth: InternalClient = {
    get: async () => expect.fail('nothing is asked'),
    readMany: async () => expect.fail('nothing is asked'),
    async post(_path, body, parse) {
      if (lost) throw new Error('lost');
      bodies.push(body);
      return parse({});
    },
  };
  const client = createApiKeyClient(auth);
  client.noteUse('a', 1);
  client.noteUse('b', 2);
  await client.flush();
  client.noteUse('b', 7);
  lost = false;
  await client.flush();
  expect(bodies).toEqual([{ uses: { a: 1, b: 7 } }]);
});
