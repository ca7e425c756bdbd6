import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTokenIssuer } from './issue-tokens.ts';
import { createSessions } from './sessions.ts';
import { createTokenServer } from './token-server.ts';

const secret = 's'.repeat(64);
const nowMs = 1_790_000_000_250;

/** A token server on a port of its own, with one content, `film`. */
async function startServer() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = createTokenServer({
    origin,
    issuer: createTokenIssuer(secret, () => nowMs),
    sessions: createSessions(),
    hasContent: (contentId) => contentId === 'film',
  });
  server.on('request', async (request, response) => {
    if (!(await answer(request, response))) response.writeHead(418).end();
  });

  async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: each test knows the answer that it asks for.
    const json: any = await response.json();
    return { status: response.status, headers: response.headers, json };
  }
  async function signIn(userId: string) {
    const { headers } = await post('/session', { userId });
    return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
  }
  return { origin, post, signIn };
}

describe('a token', () => {
  it('a viewer token lasts 15 minutes, and names one content and the user who is signed in', async () => {
    const { post, signIn } = await startServer();
    const { status, json } = await post('/tokens/viewer', { contentId: 'film' }, await signIn('ben'));
    expect([status, json.expiresInSeconds]).toEqual([200, 900]);
    const { payload } = await jwtVerify(json.token, Buffer.from(secret), {
      algorithms: ['HS256'],
      currentDate: new Date(nowMs),
    });
    const iat = nowMs / 1_000;
    expect(payload).toEqual({ sub: 'ben', iat, exp: iat + 900, content_ids: ['film'] });
  });

  it('an upload token has the scope upload and lasts 5 minutes', async () => {
    const { post, signIn } = await startServer();
    const { json } = await post('/tokens/upload', { contentId: 'film' }, await signIn('ada'));
    const iat = nowMs / 1_000;
    const claims = { sub: 'ada', iat, exp: iat + 300, content_ids: ['film'], scope: 'upload' };
    expect(decodeJwt(json.token)).toEqual(claims);
  });

  it('a secret after `base64:` is decoded before it signs tokens', async () => {
    const bytes = Buffer.alloc(32, 7);
    const { token } = await createTokenIssuer(`base64:${bytes.toString('base64')}`).forViewer('a', 'film');
    await expect(jwtVerify(token, bytes)).resolves.toBeDefined();
  });

  it.each([
    ['nobody', '/tokens/viewer', 401, 'NOT_SIGNED_IN'],
    ['cleo', '/tokens/viewer', 403, 'NOT_ALLOWED'],
    ['ben', '/tokens/upload', 403, 'NOT_ALLOWED'],
  ])('the user %s gets no token at %s', async (userId, path, status, code) => {
    const { post, signIn } = await startServer();
    const answer = await post(path, { contentId: 'film' }, await signIn(userId));
    expect([answer.status, answer.json.code, answer.json.token]).toEqual([status, code, undefined]);
  });

  it.each([[{ contentId: 'other' }], [{ contentId: ['film'] }], [{}], ['film'], [null], ['x'.repeat(5_000)]])(
    'a token request with the body %j is refused, because its content is unknown',
    async (body) => {
      const { post, signIn } = await startServer();
      expect((await post('/tokens/viewer', body, await signIn('ada'))).json.code).toBe('NO_SUCH_CONTENT');
    },
  );

  it('a page of another origin gets no token, and no cache may store one', async () => {
    const { origin, post, signIn } = await startServer();
    const session = await signIn('ada');
    const foreign = { ...session, origin: 'http://127.0.0.1:1' };
    expect((await post('/tokens/viewer', { contentId: 'film' }, foreign)).json.code).toBe('FOREIGN_ORIGIN');
    const own = await post('/tokens/viewer', { contentId: 'film' }, { ...session, origin });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });
});

describe('a session', () => {
  it('the session is a cookie that no script can read and no other site can send', async () => {
    const { post } = await startServer();
    const { headers } = await post('/session', { userId: 'ada' });
    expect(headers.get('set-cookie')).toMatch(
      /^example_session=[\w-]{36}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it('a session for an unknown user is refused', async () => {
    const { post } = await startServer();
    expect((await post('/session', { userId: 'eve' })).status).toBe(404);
  });
});

it('the token server refuses a wrong method with Allow, and leaves other paths to the caller', async () => {
  const { origin } = await startServer();
  const wrong = await fetch(`${origin}/tokens/viewer`);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await fetch(`${origin}/tokens`)).status).toBe(418);
});
