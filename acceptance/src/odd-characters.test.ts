import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { openTarget } from './target.ts';

const target = await openTarget();
const { client, adminApiKey: admin } = target;

/** NUL, which Postgres cannot store, half of a surrogate pair, a byte that is not UTF-8, a line break, and others. */
const odd = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%0A', '%E2%80%AE', '%F0%9F%8E%AC'];
const nul = odd.filter((text) => text.includes('%00'));

interface Parameter {
  name: string;
  in: string;
}
/** Every operation without a body, except the event stream, which does not end. */
const operations = Object.entries(client.api.document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => (method === 'get' || method === 'delete') && path !== '/api/v1/events')
    .map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      parameters: (operation as { parameters?: Parameter[] }).parameters ?? [],
    })),
);
const inPath = operations.filter(({ path }) => path.includes('{'));
const queries = operations.flatMap(({ method, path, parameters }) =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => [`${method} ${path}`, name, path] as const),
);

async function ask(method: string, path: string, as: string | undefined = admin) {
  const response = await fetch(`${target.url}${path}`, {
    method,
    headers: as === undefined ? {} : { authorization: `Bearer ${as}` },
  });
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : null };
}

it.each(inPath)(
  'odd characters in the path of $method $path get a 4xx, never a 5xx',
  async ({ method, path }) => {
    const isRefusal = expect.toSatisfy((code: number) => code >= 400 && code < 500);
    await Promise.all(
      odd.map(async (text) => {
        const { status } = await ask(method, path.replace(/\{[^}]+\}/g, text));
        expect([text, status]).toEqual([text, isRefusal]);
      }),
    );
  },
);

it.each(queries)(
  'odd characters in the query of %s, in %s, never get a 5xx, and a NUL gets 400',
  async (_operation, name, path) => {
    const url = path.replace(/\{[^}]+\}/g, 'x');
    await Promise.all(
      odd.map(async (text) => expect((await ask('GET', `${url}?${name}=${text}`)).status).toBeLessThan(500)),
    );
    if (path.startsWith('/keys')) return;
    for (const text of nul) {
      const { status, json } = await ask('GET', `${url}?${name}=${text}`);
      // For an unknown path the query is not checked.
      expect([400, 404]).toContain(status);
      if (status === 400) expect(json.errors).not.toEqual([]);
    }
  },
);

it.each(['/admin/assets/%00', '/admin/assets/a%00.js', '/admin/%00'])(
  'GET %s without a credential gets no 5xx',
  async (path) => {
    for (const method of ['GET', 'HEAD'])
      expect([200, 400, 404]).toContain((await ask(method, path, undefined)).status);
  },
);

it('an invented cursor never gets a 5xx, and a refused one gets 400 with errors', async () => {
  for (const text of ['1:\0', '9999999999999999:x', '\0:\0', '-1:x', `1:${'x'.repeat(300)}`]) {
    const cursor = Buffer.from(text).toString('base64url');
    for (const list of ['/api/v1/leases', '/api/v1/api-keys', '/api/v1/audit']) {
      const { status, json } = await ask('GET', `${list}?cursor=${cursor}`);
      expect([200, 400]).toContain(status);
      if (status === 400) expect(json.errors).not.toEqual([]);
    }
  }
});

/** Sends text unchanged. @returns the body of the answer */
function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(target.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.setEncoding('utf8').on('data', (part) => {
      answer += part;
    });
    socket.once('close', () => resolve(answer.slice(answer.indexOf('\r\n\r\n') + 4)));
    socket.once('error', reject);
  });
}

it.each([
  ['text that is not HTTP', 'nonsense\r\n\r\n'],
  ['a request without a Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['a request with two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
  ['a path that cannot be decoded', 'GET /keys/%FF HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['a path with a fragment', 'GET /keys/a#b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
])('%s is answered 400 VALIDATION_FAILED with errors', async (_what, request) => {
  const problem = JSON.parse(await sendRaw(request));
  expect(problem).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  expect(problem.errors).toEqual([{ path: expect.any(String), message: expect.any(String) }]);
});

it.each([
  ['malformed JSON', '{"name":'],
  ['text that is not JSON', 'name=x'],
  ['JSON that is not an object', '[]'],
  ['no content', ''],
  ['a member __proto__', '{"__proto__":{},"name":"x"}'],
])('a body with %s is answered 400 VALIDATION_FAILED with errors', async (_what, body) => {
  const { status, code, json } = await client.call('POST', '/api/v1/content', {
    as: admin,
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(json.errors.length).toBeGreaterThan(0);
});
