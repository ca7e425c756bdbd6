import { openTarget } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';
import { ask, askInParts, listQueries } from './odd-requests.ts';

const target = await openTarget();
const { client } = target;

/** NUL, which Postgres cannot store, half of a surrogate pair, a byte that is not UTF-8, a line break, and others. */
const odd = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%0A', '%E2%80%AE', '%F0%9F%8E%AC'];
/** Every operation without a body that has a parameter in its path. */
const inPath = client.api.operations.filter((name) => /^(GET|DELETE) .*\{/.test(name));

/** Any text without control characters may be the id of a viewer, so each has an answer about its block. */
const ofAnyViewer = 'GET /api/v1/viewers/{viewerId}/block';

it.each(inPath)('odd characters in the path of %s get a 4xx, never a 5xx', async (operation) => {
  const [method = '', path = ''] = operation.split(' ');
  const answers = await askInParts(odd, async (text) => {
    const { status } = await ask(target, method, path.replace(/\{[^}]+\}/g, text));
    return { text, status };
  });
  const isExpected = ({ status }: { status: number }) =>
    operation === ofAnyViewer ? status === 200 || status === 400 : status >= 400 && status < 500;
  expect(answers.filter((answer) => !isExpected(answer))).toEqual([]);
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
