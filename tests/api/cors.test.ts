import type { Answer } from '@latchkey/support/black-box/answer';
import { makeScene } from '@latchkey/support/black-box/server-actions';
import { applicationOrigin, listedOrigin as listed } from '@latchkey/support/black-box/shared-settings';
import { areContainers, openShared, startServer } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';

const playerOrigin = 'http://player.localhost';
const unlisted = [
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://x.app.example.com',
  'capacitor://localhost:8100',
  'http://localhost',
  'null',
];
const server = await openShared('every-route');
const silent = await openShared('any-content');
const withCookies = await openShared('cookies');
// No other file needs this setting.
const any = areContainers
  ? null
  : await startServer({ CORS_ORIGINS: '*', VIEWER_TOKEN_FROM: 'header,cookie' });

const corsHeaders = ({ headers }: Answer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));
const preflight = (target: typeof server, path: string, origin: string, method: string, headers: string) =>
  target.client.call('OPTIONS', path, {
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
  });
const words = (text: string | undefined) =>
  (text ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

it.each([listed, playerOrigin, applicationOrigin])('the listed origin %s is echoed as is', async (origin) => {
  const { contentId, token } = await makeScene(server);
  const answer = await server.client.get(`/keys/${contentId}`, token, { origin });
  expect(answer.headers['access-control-allow-origin']).toBe(origin);
  expect(words(answer.headers.vary)).toContain('origin');
  expect(words(answer.headers['access-control-expose-headers'])).toEqual(
    expect.arrayContaining([
      'x-request-id',
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
      'idempotent-replayed',
    ]),
  );
});

it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])(
  'a listed origin may send %s with every header that its preflight names, such as headers of monitoring tools',
  async (method) => {
    const wanted = ['authorization', 'content-type', 'x-lease-id', 'cmcd-object', 'cmcd-session'];
    wanted.push('baggage', 'sentry-trace', 'traceparent', 'x-datadog-trace-id', 'x-own_header.2');
    const answer = await preflight(server, '/keys/my-video-001', listed, method, wanted.join(','));
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe(listed);
    expect(words(answer.headers['access-control-allow-methods'])).toContain(method.toLowerCase());
    expect(words(answer.headers['access-control-allow-headers'])).toEqual(wanted);
    expect(answer.headers['access-control-max-age']).toBe('7200');
    expect(words(answer.headers.vary)).toEqual(
      expect.arrayContaining(['origin', 'access-control-request-headers']),
    );
  },
);

it.each([
  ['a character that no name has', 'x-own, <script>'],
  ['an empty name', 'x-own,'],
  ['more than 2,048 characters', 'x'.repeat(2_049)],
])('a preflight of a listed origin that asks for headers with %s is allowed none', async (_, headers) => {
  const answer = await preflight(server, '/keys/my-video-001', listed, 'GET', headers);
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([204, listed]);
  expect(answer.headers['access-control-allow-headers']).toBeUndefined();
});

it('a page of a listed origin can read errors', async () => {
  const { client, adminApiKey } = server;
  const headers = { origin: listed };
  const answers = [
    await client.get('/keys/x', undefined, headers),
    await client.get('/nowhere', undefined, headers),
    await client.get('/api/v1/api-keys?limit=x', adminApiKey, headers),
    await client.call('PUT', '/health', { headers }),
    await client.call('POST', '/api/v1/content', {
      as: adminApiKey,
      headers: { ...headers, 'content-type': 'application/json' },
      body: 'x'.repeat(70_000),
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 404, 400, 405, 413]);
  for (const { headers: got } of answers) expect(got['access-control-allow-origin']).toBe(listed);
});

it('a page of a listed origin can read the event stream', async () => {
  const answer = await server.client.get('/api/v1/events', server.adminApiKey, { origin: listed });
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, listed]);
});

it.each(unlisted)(
  'a request of the unlisted origin %s is served without a CORS header, and its answer varies by Origin',
  async (origin) => {
    for (const target of [server, withCookies]) {
      const { contentId, token } = await makeScene(target);
      const answer = await target.client.get(`/keys/${contentId}`, token, { origin });
      expect([answer.status, corsHeaders(answer)]).toEqual([200, []]);
      expect(words(answer.headers.vary)).toContain('origin');
      expect(corsHeaders(await target.client.get('/keys/x', undefined, { origin }))).toEqual([]);
      expect(corsHeaders(await preflight(target, '/keys/x', origin, 'GET', 'authorization'))).toEqual([]);
    }
  },
);

it('a request without an origin gets no CORS header', async () => {
  const answer = await server.client.get('/health');
  expect(corsHeaders(answer)).toEqual([]);
  expect(words(answer.headers.vary)).toContain('origin');
});

it('without CORS_ORIGINS there is no CORS header', async () => {
  expect(corsHeaders(await silent.client.get('/health', undefined, { origin: listed }))).toEqual([]);
  expect(corsHeaders(await preflight(silent, '/keys/x', listed, 'GET', 'authorization'))).toEqual([]);
});

it('CORS_ORIGINS=* lets every page read answers, but not send cookies', async ({ skip }) => {
  if (!any) return skip('NODE_ENV=production refuses CORS_ORIGINS=*');
  const answer = await any.client.get('/health', undefined, { origin: 'https://anything.example' });
  expect(answer.headers['access-control-allow-origin']).toMatch(/^(\*|https:\/\/anything\.example)$/);
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
});

const allowsCookies = ({ headers }: Answer) => headers['access-control-allow-credentials'];

it('with tokens in cookies, a page of a listed origin may send cookies and read the answers', async () => {
  const { contentId, token } = await makeScene(withCookies);
  const headers = { origin: listed, cookie: `latchkey_token=${token}` };
  const answer = await withCookies.client.get(`/keys/${contentId}`, undefined, headers);
  expect([answer.status, allowsCookies(answer)]).toEqual([200, 'true']);
  expect(answer.headers['access-control-allow-origin']).toBe(listed);
  expect(allowsCookies(await preflight(withCookies, `/keys/${contentId}`, listed, 'GET', 'x-lease-id'))).toBe(
    'true',
  );
  const refused = await withCookies.client.get('/keys/x', undefined, { origin: listed });
  expect([refused.status, allowsCookies(refused)]).toEqual([401, 'true']);
});

it('without tokens in cookies, or with CORS_ORIGINS=*, no page may send cookies', async () => {
  for (const target of any ? [server, any] : [server]) {
    expect(allowsCookies(await target.client.get('/health', undefined, { origin: listed }))).toBeUndefined();
    expect(allowsCookies(await preflight(target, '/keys/x', listed, 'GET', 'x-lease-id'))).toBeUndefined();
  }
});

const path = '/keys/my-video-001/0?s=not-a-session';

it.each([listed, 'https://evil.example', undefined])(
  'a key request by a session alone is answered to every page without credentials, errors too: origin %s',
  async (origin) => {
    for (const target of [server, silent, withCookies]) {
      const answer = await target.client.call('GET', path, { headers: origin ? { origin } : {} });
      expect(answer.status).toBe(401);
      expect(answer.code).toBe('INVALID_SESSION');
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      expect(words(answer.headers['access-control-expose-headers'])).toContain('retry-after');
    }
  },
);

it('the preflight of a key request by a session alone allows any header but Authorization', async () => {
  for (const target of [server, silent, withCookies]) {
    const answer = await preflight(target, path, 'https://evil.example', 'GET', 'range,x-own');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-headers']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  }
});

it('a key request with a session and Authorization is answered to listed origins only', async () => {
  const authorization = 'Bearer rubbish';
  const ask = async (origin: string) =>
    server.client.call('GET', path, { headers: { origin, authorization } });
  expect((await ask('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined();
  const fromListed = await ask(listed);
  expect(fromListed.headers['access-control-allow-origin']).toBe(listed);
  expect(fromListed.code).toBe('INVALID_TOKEN');
  const asked = await preflight(server, path, 'https://evil.example', 'GET', 'Authorization');
  expect(asked.headers['access-control-allow-origin']).toBeUndefined();
});
