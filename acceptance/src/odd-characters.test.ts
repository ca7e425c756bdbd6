import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { ask, askInParts, listQueries } from './odd-requests.ts';
import { openTarget } from './target.ts';

const target = await openTarget();
const { client } = target;

/** NUL, which Postgres cannot store, half of a surrogate pair, a byte that is not UTF-8, a line break, and others. */
const odd = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%0A', '%E2%80%AE', '%F0%9F%8E%AC'];
/** Every operation without a body that has a parameter in its path. */
const inPath = client.api.operations.filter((name) => /^(GET|DELETE) .*\{/.test(name));

it.each(inPath)('odd characters in the path of %s get a 4xx, never a 5xx', async (operation) => {
  const [method = '', path = ''] = operation.split(' ');
  const answers = await askInParts(odd, async (text) => {
    const { status } = await ask(target, method, path.replace(/\{[^}]+\}/g, text));
    return { text, status };
  });
  expect(answers.filter(({ status }) => status < 400 || status >= 500)).toEqual([]);
});

it.each(listQueries(client.api, ['get', 'delete']))(
  'odd characters in the query of %s %s, in %s, never get a 5xx, and a NUL gets 400',
  async (_method, path, name) => {
    const url = path.replace(/\{[^}]+\}/g, 'x');
    const answers = await askInParts(odd, async (text) => ({
      text,
      ...(await ask(target, 'GET', `${url}?${name}=${text}`)),
    }));
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    if (path.startsWith('/keys')) return;
    for (const { status, json } of answers.filter(({ text }) => text.includes('%00'))) {
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
      expect([200, 400, 404]).toContain((await fetch(`${target.url}${path}`, { method })).status);
  },
);

it('an invented cursor never gets a 5xx, and a refused one gets 400 with errors', async () => {
  for (const text of ['1:\0', '9999999999999999:x', '\0:\0', '-1:x', `1:${'x'.repeat(300)}`]) {
    const cursor = Buffer.from(text).toString('base64url');
    for (const list of ['/api/v1/leases', '/api/v1/api-keys', '/api/v1/audit']) {
      const { status, json } = await ask(target, 'GET', `${list}?cursor=${cursor}`);
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
  ['the same Host twice', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['two Hosts in HTTP/1.0', 'GET /health HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['a path that cannot be decoded', 'GET /keys/%FF HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['a path with a fragment', 'GET /keys/a#b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
])('%s is answered 400 VALIDATION_FAILED with errors', async (_what, request) => {
  const problem = JSON.parse(await sendRaw(request));
  expect(problem).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  expect(problem.errors).toEqual([{ path: expect.any(String), message: expect.any(String) }]);
});
