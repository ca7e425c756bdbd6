import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { AppError } from '../errors/errors.ts';
import { Type } from '../schema/type.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createSilentHost } from '../testing/silent-host.ts';
import { addOpenApi } from './openapi.ts';

type Others = Parameters<typeof addOpenApi>[1]['others'];

function openHost(others?: Others, publicUrl: string | null = null) {
  const app = createSilentHost({ crossOriginHeaders: () => ({ vary: 'Origin' }) });
  const clock = createManualClock();
  addOpenApi(app, { version: '1.2.3', publicUrl, clock, others });
  const read = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: '/openapi.json', headers });
  return { app, clock, read };
}

test('the document describes routes that came after it, and neither hidden ones nor methods that only this host knows', async () => {
  const { app, read } = openHost();
  const query = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) });
  app.get('/shown', { config: { access: 'open' }, schema: { querystring: query } }, () => '');
  app.addHttpMethod('ACL', { hasBody: true });
  app.route({
    method: 'ACL',
    url: '/hidden',
    config: { access: 'open' },
    schema: { hide: true },
    handler: () => '',
  });
  for (const _ of ['the first reader', 'a later one']) {
    const { statusCode, body } = await read();
    expect(statusCode).toBe(200);
    const { info, paths } = JSON.parse(body);
    expect(info.version).toBe('1.2.3');
    expect(Object.keys(paths)).toEqual(['/shown']);
    expect(paths['/shown'].get.parameters).toEqual([
      { schema: { type: 'integer', minimum: 1 }, in: 'query', name: 'limit', required: false },
    ]);
  }
  await app.close();
});

test.each([
  ['no list', undefined, undefined],
  ['several', 'gzip, deflate, br, zstd', 'br'],
  ['any', '*', 'br'],
  ['any but Brotli', 'br;q=0, *', 'gzip'],
  ['gzip first', 'BR; q=0.5, GZIP;q=0.8', 'gzip'],
  ['the text first', 'gzip;q=0.5, identity', undefined],
  ['none at all', 'gzip;q=0, br;q=0.0', undefined],
  ['only unknown ones', 'zstd, deflate', undefined],
  ['a weight that is no number', 'br;q=high, gzip', 'gzip'],
  ['more than is read', `${'x, '.repeat(5_000)}gzip`, undefined],
])('a reader that accepts %s gets the coding it prefers', async (_, accepted, coding) => {
  const { app, read } = openHost();
  const plain = await read();
  const { headers, rawPayload } = await read(accepted === undefined ? {} : { 'accept-encoding': accepted });
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'Origin, Accept-Encoding',
    'content-length': String(rawPayload.length),
  });
  expect(headers['content-encoding']).toBe(coding);
  const decode =
    { gzip: gunzipSync, br: brotliDecompressSync }[coding as 'gzip' | 'br'] ?? ((text: Buffer) => text);
  expect(decode(rawPayload).toString()).toBe(plain.body);
  expect(headers.etag === plain.headers.etag).toBe(coding === undefined);
  await app.close();
});

test.each([
  ['the tag as a weak one', (tag: string) => `W/${tag}`, 304],
  ['a list with the tag', (tag: string) => `"other" , ${tag},W/"more"`, 304],
  ['every tag', () => '*', 304],
  ['a part of the tag', (tag: string) => `${tag.slice(0, -2)}"`, 200],
])('a reader with %s gets %3$i', async (_, header, status) => {
  const { app, read } = openHost();
  for (const headers of [{}, { 'accept-encoding': 'gzip' }] as Record<string, string>[]) {
    const tag = String((await read(headers)).headers.etag);
    expect(tag).toMatch(/^"[\w-]+"$/);
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await read({ ...headers, 'if-none-match': header(tag) }, method);
      expect([answer.statusCode, answer.headers.etag]).toEqual([status, tag]);
      expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
      if (status === 304 || method === 'HEAD') expect(answer.body).toBe('');
    }
  }
  await app.close();
});

test('the documents of other processes are fetched once a minute for any number of readers, and kept while one is away', async () => {
  let calls = 0;
  let answer: () => object = () => ({ paths: { '/theirs': {} } });
  const { app, clock, read } = openHost(async () => {
    calls++;
    return [answer() as { paths: Record<string, unknown> }];
  });
  const pathsOf = async () => Object.keys(JSON.parse((await read()).body).paths);
  const first = await Promise.all(Array.from({ length: 20 }, () => read()));
  expect(new Set(first.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  clock.advance(59_999);
  expect([await pathsOf(), calls]).toEqual([['/theirs'], 1]);
  answer = () => {
    throw new AppError('DEPENDENCY_UNAVAILABLE');
  };
  clock.advance(1);
  expect([await pathsOf(), await pathsOf(), calls]).toEqual([['/theirs'], ['/theirs'], 2]);
  answer = () => ({ paths: { '/new': {} } });
  clock.advance(60_000);
  await Promise.all(Array.from({ length: 20 }, () => read()));
  expect([await pathsOf(), calls]).toEqual([['/new'], 3]);
  await app.close();
});

test('while no document of another process was ever read, readers get 503, and they make one call a second', async () => {
  let calls = 0;
  let isAway = true;
  const { app, clock, read } = openHost(async () => {
    calls++;
    if (isAway) throw new AppError('DEPENDENCY_UNAVAILABLE');
    return [];
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => read()));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(503));
  expect([(await read()).statusCode, calls]).toEqual([503, 1]);
  isAway = false;
  clock.advance(1_000);
  expect([(await read()).statusCode, calls]).toEqual([200, 2]);
  await app.close();
});
