import { METHODS } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startHost } from './host.fixture.ts';

let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.app.close());

const ask = (request: string, ...headers: string[]) =>
  host.raw(`${[request, ...headers, 'connection: close'].join('\r\n')}\r\n\r\n`);

describe('methods', () => {
  // CONNECT asks for a tunnel: Node closes its connection.
  const refused = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method));

  test('every other method gets 405 on a path that does not take it and 404 on an unknown path', async () => {
    for (const method of refused) {
      const known = await ask(`${method} /things HTTP/1.1`, 'host: a');
      expect(known).toMatch(/^HTTP\/1.1 405 .*\r\nallow: GET, HEAD, POST\r\n.*"code":"METHOD_NOT_ALLOWED"/s);
      expect(await ask(`${method} /none HTTP/1.1`, 'host: a')).toMatch(
        /^HTTP\/1.1 404 .*"code":"NOT_FOUND"/s,
      );
    }
    const statuses = (await host.linesWritten(2 * refused.length)).map(({ status }) => status);
    expect(statuses).toEqual(refused.flatMap(() => [405, 404]));
    expect(host.operatorLines).toEqual([]);
  });

  test.each(['content-type: odd', 'content-type: application/json', 'content-length: 100000'])(
    'a header about a body changes nothing if nobody would read the body: %s',
    async (header) => {
      expect(await ask('PUT /things HTTP/1.1', 'host: a', header)).toMatch(/^HTTP\/1.1 405 /);
      expect(await ask('POST /none HTTP/1.1', 'host: a', header)).toMatch(/^HTTP\/1.1 404 /);
    },
  );

  test('QUERY without a content type gets 415 on a path that takes it', async () => {
    expect(await ask('QUERY /asked HTTP/1.1', 'host: a')).toMatch(
      /^HTTP\/1.1 415 .*"code":"UNSUPPORTED_MEDIA_TYPE"/s,
    );
  });
});

test('a part of a path that is longer than any request line is a 400', async () => {
  const answer = await host.app.inject({ method: 'DELETE', url: `/things/${'x'.repeat(16_385)}` });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'VALIDATION_FAILED']);
});

test('an unknown Expect header is ignored', async () => {
  const answer = await ask('GET /things HTTP/1.1', 'host: a', 'expect: foo');
  expect(answer).toMatch(/^HTTP\/1.1 200 .*x-request-id: /s);
  expect(await host.linesWritten(1)).toMatchObject([{ route: '/things', status: 200 }]);
});

test.each([
  ['HTTP/1.0', 'chunked'],
  ['HTTP/1.1', 'gzip, chunked'],
  ['HTTP/1.1', 'chunked, chunked'],
])(
  'a body whose end proxies may see elsewhere is a 400, and what stands behind it is not served: %s with %s',
  async (version, coding) => {
    const body = '2\r\n{}\r\n0\r\n\r\n';
    const head = `POST /things ${version}\r\nhost: a\r\nconnection: keep-alive\r\ncontent-type: application/json\r\n`;
    const answer = await host.raw(
      `${head}transfer-encoding: ${coding}\r\n\r\n${body}GET /things HTTP/1.1\r\nhost: a\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(answer).toMatch(/"code":"VALIDATION_FAILED"/);
    for (const { status } of await host.linesWritten(1)) expect(status).toBe(400);
    expect(host.operatorLines).toEqual([]);
  },
);

test('a request before HTTP/1.1 need not name a host', async () => {
  expect(await ask('GET /things HTTP/1.0')).toMatch(/^HTTP\/1.1 200 /);
});

const ending = 'host: a\r\nconnection: close\r\n\r\n';

test('two different lengths of one body are refused (request smuggling)', async () => {
  const both = `POST /things HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n${ending}0\r\n\r\n`;
  expect(await host.raw(both)).toContain(' 400 ');
  expect(
    await host.raw(`POST /things HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n${ending}`),
  ).toContain(' 400 ');
});

test('the request log has a line for each of several requests on one connection', async () => {
  const answer = await host.raw(`GET /things HTTP/1.1\r\nhost: a\r\n\r\nGET /none HTTP/1.1\r\n${ending}`);
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  expect((await host.linesWritten(2)).map(({ status }) => status)).toEqual([200, 404]);
});

test('an unexpected error is a bare 500, whatever status it claims, and the log shows the cause', async () => {
  for (const path of ['/fault', ...[400, 403, 404, 409, 502].map((status) => `/status/${status}`)]) {
    const response = await fetch(host.url + path);
    const text = await response.text();
    expect([path, response.status, JSON.parse(text).code]).toEqual([path, 500, 'INTERNAL']);
    expect(text).not.toContain('hunter2');
  }
  expect(String((host.operatorLines[0] as { error: Error }).error)).toContain('hunter2');
});

async function post(body: Buffer, type = 'application/json') {
  const payload = new Uint8Array(body);
  const headers = { 'content-type': type };
  const response = await fetch(`${host.url}/things`, { method: 'POST', headers, body: payload });
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, for the test to look into
  return { status: response.status, body: (await response.json()) as any };
}
const named = (bytes: Buffer) => Buffer.concat([Buffer.from('{"name":"'), bytes, Buffer.from('"}')]);

test.each([
  ['bytes that begin no character', [0xff, 0xfe]],
  ['Latin-1', [0x66, 0xfc, 0x72]],
  ['half a character', [0xe2, 0x82]],
  ['a longer form than needed', [0xc0, 0xaf]],
  ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
])('a body with %s is a 400, and nothing of it is taken', async (_name, bytes) => {
  const { status, body } = await post(named(Buffer.from(bytes)));
  expect([status, body.code, body.errors]).toEqual([
    400,
    'VALIDATION_FAILED',
    [{ path: '', message: 'must be UTF-8' }],
  ]);
});

test('any charset but UTF-8 gets 415, whatever the bytes are', async () => {
  const body = named(Buffer.from('x'));
  for (const said of ['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'utf-8; version=1']) {
    expect((await post(body, `application/json; charset=${said}`)).status, said).toBe(200);
  }
  for (const said of ['iso-8859-1', 'utf-16', '"windows-1252"', 'us-ascii', 'utf-8x']) {
    expect(await post(body, `application/json;charset=${said}`), said).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
  }
  expect((await post(body, 'application/json; version=1')).status).toBe(200);
});
