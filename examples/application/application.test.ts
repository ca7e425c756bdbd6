import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication } from './application.ts';
import { createTokenIssuer } from './issue-tokens.ts';
import type { KeyServer } from './key-server.ts';
import { createLibrary } from './library.ts';
import { createSessions } from './sessions.ts';

const secret = 's'.repeat(64);
const nowMs = 1_790_000_000_250;
const iat = nowMs / 1_000;
const origin = 'http://127.0.0.1:4170';
const film = { playlist: '/media/master.m3u8', isLive: false, isPublished: true };

/** The application with `film` for all and `rough-cut` for administrators, and what it asks of the key server. */
async function openApplication() {
  const asked: string[] = [];
  const note = async (...words: string[]) => void asked.push(words.join(' '));
  const keyServer: KeyServer = {
    register: (contentId, name) => note('register', contentId, name),
    listPlaybacks: async () => [],
    revoke: (leaseId) => note('revoke', leaseId),
  };
  const mediaFolder = mkdtempSync(join(tmpdir(), 'latchkey-example-'));
  for (const name of ['master.m3u8', '.hidden']) writeFileSync(join(mediaFolder, name), '#EXTM3U\n');
  const app = createApplication({
    ...{ origin, keyServer, mediaFolder, packagesFolder: mediaFolder },
    ...{ keyServerUrl: 'http://127.0.0.1:4100', uploadsUrl: 'http://127.0.0.1:9000/bucket' },
    issuer: createTokenIssuer(secret, () => nowMs),
    sessions: createSessions([
      { id: 'ada', name: 'Ada', password: 'a', isAdmin: true },
      { id: 'ben', name: 'Ben', password: 'b', isAdmin: false },
    ]),
    library: createLibrary([
      { ...film, contentId: 'film', title: 'Film', isForSubscribers: true },
      { ...film, contentId: 'rough-cut', title: 'Rough cut', isForSubscribers: false },
    ]),
  });
  onTestFinished(async () => {
    await app.close();
    rmSync(mediaFolder, { recursive: true, force: true });
  });
  const signIn = (name: string, password: string) =>
    app.inject({ method: 'POST', url: '/session', payload: { name, password } });
  /** Sends requests as this user. Without one, as nobody. */
  async function as(name?: string) {
    const cookie = name && (await signIn(name, name.slice(0, 1))).headers['set-cookie'];
    const headers = cookie ? { cookie: String(cookie).split(';')[0] ?? '' } : {};
    return {
      get: (url: string) => app.inject({ url, headers }),
      post: (url: string, payload: object, more = {}) =>
        app.inject({ method: 'POST', url, payload, headers: { ...headers, ...more } }),
    };
  }
  return { asked, signIn, as };
}

describe('tokens', () => {
  it('a viewer token lasts 15 minutes, and names one content and the user who is signed in', async () => {
    const ben = await (await openApplication()).as('ben');
    const answer = await ben.post('/tokens/viewer', { contentId: 'film' });
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const { token, expiresInSeconds } = answer.json();
    const options = { algorithms: ['HS256'], currentDate: new Date(nowMs) };
    const { payload } = await jwtVerify(token, Buffer.from(secret), options);
    expect(payload).toEqual({ sub: 'ben', iat, exp: iat + 900, content_ids: ['film'] });
    expect(expiresInSeconds).toBe(900);
  });

  it('an upload token has the scope upload and lasts 5 minutes', async () => {
    const ada = await (await openApplication()).as('ada');
    const { token } = (await ada.post('/tokens/upload', { contentId: 'film' })).json();
    const claims = { sub: 'ada', iat, exp: iat + 300, content_ids: ['film'], scope: 'upload' };
    expect(decodeJwt(token)).toEqual(claims);
  });

  it('a secret after `base64:` is decoded before it signs tokens', async () => {
    const bytes = Buffer.alloc(32, 7);
    const { token } = await createTokenIssuer(`base64:${bytes.toString('base64')}`).forViewer('a', 'film');
    await expect(jwtVerify(token, bytes)).resolves.toBeDefined();
  });

  it.each([
    [undefined, '/tokens/viewer', 'film', 401, 'NOT_SIGNED_IN'],
    ['ben', '/tokens/viewer', 'rough-cut', 403, 'NOT_ALLOWED'],
    ['ben', '/tokens/upload', 'film', 403, 'NOT_ALLOWED'],
    ['ben', '/tokens/viewer', 'other', 404, 'NO_SUCH_FILM'],
    ['ben', '/tokens/viewer', '../film', 400, 'FST_ERR_VALIDATION'],
    ['ben', '/tokens/viewer', ['film'], 400, 'FST_ERR_VALIDATION'],
    ['ben', '/tokens/viewer', undefined, 400, 'FST_ERR_VALIDATION'],
  ])('the user %s gets no token at %s for %j: %i %s', async (name, path, contentId, status, code) => {
    const user = await (await openApplication()).as(name);
    const answer = await user.post(path, { contentId });
    expect([answer.statusCode, answer.json().code, answer.json().token]).toEqual([status, code, undefined]);
  });

  it('a page of another origin gets no token', async () => {
    const ben = await (await openApplication()).as('ben');
    const ask = (from: string) => ben.post('/tokens/viewer', { contentId: 'film' }, { origin: from });
    expect((await ask('http://127.0.0.1:1')).json().code).toBe('FOREIGN_ORIGIN');
    expect((await ask('null')).json().code).toBe('FOREIGN_ORIGIN');
    expect((await ask(origin)).statusCode).toBe(200);
  });
});

describe('a session', () => {
  it('the session is a cookie that no script can read and no other site can send', async () => {
    const { headers } = await (await openApplication()).signIn(' Ada ', 'a');
    expect(headers['set-cookie']).toMatch(/^example_session=[\w-]{36}; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it.each([
    ['ada', 'b'],
    ['eve', 'a'],
  ])('the login %s with the password %s is refused', async (name, password) => {
    const answer = await (await openApplication()).signIn(name, password);
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'WRONG_LOGIN']);
  });
});

describe('the studio', () => {
  it('a film is registered before its files are uploaded, and viewers see it once it is published', async () => {
    const { asked, as } = await openApplication();
    const [ada, ben] = [await as('ada'), await as('ben')];
    const about = { contentId: 'matinee', title: 'Matinee', playlist: 'master.m3u8', isForSubscribers: true };
    expect((await ada.post('/studio/films', about)).statusCode).toBe(200);
    expect(asked).toEqual(['register matinee Matinee']);
    expect((await ben.post('/tokens/viewer', { contentId: 'matinee' })).statusCode).toBe(403);
    await ada.post('/studio/publish', { contentId: 'matinee' });
    const { films } = (await ben.get('/films')).json();
    expect(films.map(({ contentId }: { contentId: string }) => contentId)).toEqual(['film', 'matinee']);
    expect(films[1].playlist).toBe('http://127.0.0.1:9000/bucket/content/matinee/master.m3u8');
  });

  it('only an administrator revokes, lists playbacks, adds and publishes films', async () => {
    const { asked, as } = await openApplication();
    const acts = async (name: string) => {
      const user = await as(name);
      const about = { contentId: 'film', title: 'x', playlist: 'x.m3u8', isForSubscribers: true };
      return [
        await user.get('/studio/playbacks'),
        await user.post('/studio/revoke', { leaseId: 'one' }),
        await user.post('/studio/films', about),
        await user.post('/studio/publish', { contentId: 'film' }),
      ].map(({ statusCode }) => statusCode);
    };
    expect(await acts('ben')).toEqual([403, 403, 403, 403]);
    expect(asked).toEqual([]);
    expect(await acts('ada')).toEqual([200, 200, 200, 200]);
    expect(asked).toEqual(['revoke one', 'register film x']);
  });
});

describe('the pages', () => {
  it.each([
    [undefined, '/', 302],
    [undefined, '/studio', 302],
    ['ben', '/', 200],
    ['ben', '/studio', 302],
    ['ada', '/studio', 200],
    [undefined, '/login', 200],
    [undefined, '/pages/style.css', 200],
    [undefined, '/sdk/hls.mjs', 200],
    [undefined, '/media/master.m3u8', 200],
    [undefined, '/media/.hidden', 404],
    [undefined, '/pages/../sessions.ts', 404],
    [undefined, '/pages/%2e%2e/sessions.ts', 404],
    [undefined, '/pages/..%2fsessions.ts', 404],
    [undefined, '/package.json', 404],
  ])('the user %s gets %s with %i', async (name, path, status) => {
    const user = await (await openApplication()).as(name);
    expect((await user.get(path)).statusCode).toBe(status);
  });

  it('the policy allows no other origin than the key server and the bucket', async () => {
    const ben = await (await openApplication()).as('ben');
    const policy = (await ben.get('/')).headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:4100 http://127.0.0.1:9000;");
    expect(policy).not.toMatch(/unsafe|\*/);
  });
});
