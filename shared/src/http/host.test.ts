import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startHost } from './host.fixture.ts';

let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.app.close());

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}
async function ask(path: string, options: Asked = {}) {
  const response = await fetch(host.url + path, options);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}
const post = (body: string, type = 'application/json') =>
  ask('/things', { method: 'POST', headers: { 'content-type': type }, body });
const ending = 'host: a\r\nconnection: close\r\n\r\n';

describe('answers', () => {
  test('every answer has the request id: the one that came where it is fit to print, else a new one', async () => {
    const idOf = async (given: string) =>
      (await ask('/things', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idOf('my.id_-7')).toBe('my.id_-7');
    for (const given of ['', 'a b', 'a/b', 'x'.repeat(65)]) expect(await idOf(given)).toMatch(/^made-/);
    const missing = await ask('/none', { headers: { 'x-request-id': 'mine' } });
    expect([missing.headers.get('x-request-id'), missing.body.requestId]).toEqual(['mine', 'mine']);
  });

  test('an error is a problem document that no cache keeps', async () => {
    const { status, headers, body } = await ask('/refused');
    expect(status).toBe(401);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      type: 'urn:latchkey:error:INVALID_API_KEY',
      status: 401,
      code: 'INVALID_API_KEY',
    });
  });

  test('a 401 challenges: with an error code only where a credential was presented', async () => {
    const challenge = async (path: string) => (await ask(path)).headers.get('www-authenticate');
    expect(await challenge('/nobody')).toBe('Bearer realm="latchkey"');
    expect(await challenge('/refused')).toBe('Bearer realm="latchkey", error="invalid_token"');
    expect(await challenge('/scope')).toBe(
      'Bearer realm="latchkey", error="insufficient_scope", scope="admin full"',
    );
    expect(await challenge('/none')).toBeNull();
  });

  test('an unexpected error is a bare 500, whatever status it claims, and the log shows the cause', async () => {
    for (const path of ['/fault', '/status/409', '/status/502']) {
      const { status, body } = await ask(path);
      expect([status, body.code]).toEqual([500, 'INTERNAL']);
      expect(JSON.stringify(body)).not.toContain('hunter2');
    }
    expect(String((host.operatorLines[0] as { error: Error }).error)).toContain('hunter2');
  });

  test('the status and the message of an unexpected error are not shown', async () => {
    for (const given of [400, 403, 404]) {
      const answer = await ask(`/status/${given}`);
      expect([answer.status, answer.body.code]).toEqual([500, 'INTERNAL']);
      expect(JSON.stringify(answer.body)).not.toContain('hunter2');
    }
  });

  test('an unavailable database gives a 503 with Retry-After', async () => {
    const { status, headers, body } = await ask('/busy');
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'DEPENDENCY_UNAVAILABLE', '1']);
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404, a wrong method 405 with Allow', async () => {
    expect(await ask('/none')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const wrong = await ask('/things?q=1', { method: 'PUT' });
    expect([wrong.status, wrong.body.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await ask('/things/7', { method: 'POST' })).headers.get('allow')).toBe('DELETE');
    expect((await ask('/things/7/8')).status).toBe(404);
  });

  test('HEAD works where GET does, without a body', async () => {
    const answer = await ask('/things', { method: 'HEAD' });
    expect([answer.status, answer.body, answer.headers.get('content-length')]).toEqual([200, null, '2']);
    expect((await ask('/none', { method: 'HEAD' })).status).toBe(404);
  });

  test('a path that is not a valid URL gets 400', async () => {
    expect(await ask('/things/%zz', { method: 'DELETE' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
  });
});

describe('bodies', () => {
  test('a body of 64 KiB is read, and a larger one gets 413, with or without Content-Length', async () => {
    const sized = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes - '{"name":""}'.length) });
    expect((await post(sized(65_536))).status).toBe(200);
    expect(await post(sized(65_537))).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
    const chunk = 'x'.repeat(70_000);
    const chunked = `POST /things HTTP/1.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n${ending}11170\r\n${chunk}\r\n0\r\n\r\n`;
    expect(await host.raw(chunked)).toContain('413 Payload Too Large');
  });

  test('a body that is not JSON gets 400, and another media type gets 415', async () => {
    for (const text of ['{', 'name=x', '{"name":"x"', '{"name":"x"} x', '\ufeff{']) {
      const { status, body } = await post(text);
      expect([status, body.errors], text).toEqual([400, [{ path: '', message: 'must be JSON' }]]);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      expect(await post('{"name":"x"}', type)).toMatchObject({
        status: 415,
        body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
      });
    }
    expect((await post('{"name":"x"}', 'application/json; charset=utf-8')).status).toBe(200);
  });

  test('names that would change a prototype are refused, also where any other name is taken', async () => {
    for (const text of ['{"a":{"__proto__":{"b":1}}}', '{"constructor":{"prototype":{"b":1}}}']) {
      const answer = await ask('/free', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      });
      expect(answer, text).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    }
  });

  test('a body is never coerced, unknown members are refused, and every fault is named', async () => {
    expect((await post('{"name":5,"size":"5","colour":1}')).body.errors).toEqual(
      expect.arrayContaining([
        { path: '/colour', message: 'is not known here' },
        { path: '/name', message: 'must be string' },
        { path: '/size', message: 'must be integer' },
      ]),
    );
    expect((await post('{}')).body.errors).toEqual([{ path: '/name', message: 'is missing' }]);
    expect((await post('')).status).toBe(400);
    expect((await post('null')).status).toBe(400);
    expect((await post('[]')).status).toBe(400);
  });

  test('a DELETE with a JSON content type and no body is accepted', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await ask('/things/7', { method: 'DELETE', headers })).toMatchObject({
      status: 200,
      body: { deleted: '7' },
    });
  });
});

describe('queries', () => {
  test('a query number must be written in decimal digits, and a repeated name is refused', async () => {
    expect((await ask('/things?limit=5&q=7')).body).toEqual({ limit: 5, q: '7' });
    for (const query of [
      'limit=5&limit=6',
      'limit=',
      'limit=five',
      'limit=1.5',
      'q=a&q=b',
      'other=1',
      '__proto__=1',
    ]) {
      expect((await ask(`/things?${query}`)).status, query).toBe(400);
    }
  });
});

describe('what is not HTTP', () => {
  test('input that is not HTTP gets a problem document with a request id, and a line in the log', async () => {
    const answer = await host.raw('NONSENSE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(answer).toContain('"code":"VALIDATION_FAILED"');
    const [line] = await host.linesWritten(1);
    expect(line).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', clientIp: '127.0.0.1' });
    expect(answer).toContain(`x-request-id: ${line?.requestId}`);
  });

  test('two different lengths of one body are refused (request smuggling)', async () => {
    const both = `POST /things HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n${ending}0\r\n\r\n`;
    expect(await host.raw(both)).toContain(' 400 ');
    expect(
      await host.raw(`POST /things HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n${ending}`),
    ).toContain(' 400 ');
  });

  test('headers of more than 16 KiB get 431', async () => {
    const answer = await host.raw(`GET /things HTTP/1.1\r\nx-long: ${'x'.repeat(17_000)}\r\n${ending}`);
    expect(answer).toMatch(/^HTTP\/1.1 431 Request Header Fields Too Large\r\n/);
    expect(answer).toContain('"code":"HEADERS_TOO_LARGE"');
    expect(await host.linesWritten(1)).toMatchObject([{ status: 431, code: 'HEADERS_TOO_LARGE' }]);
  });
});

describe('the log', () => {
  test('the request log has exactly one line for each request, with its route pattern, code and client', async () => {
    await ask('/things/7', { method: 'DELETE', headers: { 'user-agent': 'tests' } });
    await ask('/refused');
    await ask('/none');
    await post('{');
    const lines = await host.linesWritten(4);
    expect(lines.map(({ method, route, status, code }) => [method, route, status, code])).toEqual([
      ['DELETE', '/things/:id', 200, null],
      ['GET', '/refused', 401, 'INVALID_API_KEY'],
      ['GET', null, 404, 'NOT_FOUND'],
      ['POST', '/things', 400, 'VALIDATION_FAILED'],
    ]);
    expect(lines[0]).toMatchObject({
      path: '/things/7',
      userAgent: 'tests',
      clientIp: '127.0.0.1',
      principal: null,
    });
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(4);
  });

  test('the request log hides the values of a query', async () => {
    await ask('/none?access_token=secret&limit=5');
    expect((await host.linesWritten(1))[0]?.path).toBe('/none?access_token=***&limit=***');
  });

  test('the request log has one line, with 499, for a client that left before its answer', async () => {
    const socket = connect(host.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    const finish = await host.slowRequest();
    socket.destroy();
    expect(await host.linesWritten(1)).toMatchObject([{ route: '/slow', status: 499 }]);
    finish();
    await ask('/things');
    expect((await host.linesWritten(2)).map(({ route }) => route)).toEqual(['/slow', '/things']);
  });

  test('the request log has a line for each of several requests on one connection', async () => {
    const answer = await host.raw(`GET /things HTTP/1.1\r\nhost: a\r\n\r\nGET /none HTTP/1.1\r\n${ending}`);
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
    expect((await host.linesWritten(2)).map(({ status }) => status)).toEqual([200, 404]);
  });
});

test('a request that is being served when the host closes is served to the end', async () => {
  const answer = ask('/slow');
  const finish = await host.slowRequest();
  const closed = host.app.close();
  finish();
  expect(await answer).toMatchObject({ status: 200, body: { slow: true } });
  await closed;
});
