import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Authenticator } from '../auth/index.ts';
import { type App, addGuard } from '../http/index.ts';
import { createSilentHost } from '../testing/silent-host.ts';
import { createInternalGate } from './internal-gate.ts';

const secret = 'the-internal-secret-of-a-test-0123456789';
let app: App;
beforeEach(() => {
  app = createSilentHost();
  createInternalGate([secret]).addTo(app);
  for (const url of ['/health', '/ready', '/openapi.json', '/keys/:contentId'])
    app.get(url, { config: { access: 'open' } }, async () => ({ url }));
  app.get('/internal/feed', { config: { access: 'internal' } }, async () => ({ url: '/internal/feed' }));
});
afterEach(() => app.close());

const ask = (url: string, presented?: string | string[], method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  app.inject({ method, url, headers: presented === undefined ? {} : { 'x-latchkey-secret': presented } });

describe('a service', () => {
  test.each([
    '/openapi.json',
    '/keys/film',
    '/internal/feed',
    '/nowhere',
    '/health/../internal/feed',
    '//health',
  ])('%s is answered to other services only', async (url) => {
    for (const presented of [undefined, '', 'wrong', secret.slice(1), `${secret} `, [secret, secret]]) {
      const answer = await ask(url, presented);
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(answer.headers['x-latchkey-refused']).toBe('secret');
    }
    const answer = await ask(url, secret);
    expect(answer.statusCode).not.toBe(401);
    expect(answer.headers).not.toHaveProperty('x-latchkey-refused');
  });

  test('a caller without the secret gets no information about unknown paths and methods', async () => {
    expect((await ask('/keys/film', undefined, 'POST')).statusCode).toBe(401);
    expect((await ask('/keys/film', secret, 'POST')).statusCode).toBe(405);
  });

  test.each(['/health', '/ready'])('%s is answered to every caller', async (url) => {
    expect((await ask(url)).statusCode).toBe(200);
    expect((await ask(`${url}?x=1`, 'wrong', 'HEAD')).statusCode).toBe(200);
  });

  test('only a caller that presents a wrong secret to /ready learns that it is wrong', async () => {
    for (const presented of ['', 'wrong', `${secret} `, [secret, secret]]) {
      const answer = await ask('/ready', presented);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({ url: '/ready' });
      expect(answer.headers['x-latchkey-refused']).toBe('secret');
    }
    for (const presented of [undefined, secret])
      expect((await ask('/ready', presented)).headers).not.toHaveProperty('x-latchkey-refused');
  });
});

test('an internal route cannot be added to a host that has no gate, nor to the routes that clients authenticate for', () => {
  const add = (to: App) => to.get('/internal/marks', { config: { access: 'internal' } }, async () => ({}));
  expect(() => add(createSilentHost())).toThrow('/internal/marks is for other services only');
  addGuard(app, { authenticator: {} as Authenticator, limiter: null });
  expect(() => add(app)).toThrow('/internal/marks is for other services only');
});
