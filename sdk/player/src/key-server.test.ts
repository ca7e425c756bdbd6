import { beforeEach, expect, it } from 'vitest';
import {
  createFakeKeyServer,
  type FakeKeyServer,
  keyUrl,
  problem,
  unreachable,
} from './key-server.fixture.ts';
import { type Attempt, createKeyServer } from './key-server.ts';
import { PlayerError } from './player-error.ts';

let fake: FakeKeyServer;
beforeEach(() => {
  fake = createFakeKeyServer();
});
const ask = (more = {}) => createKeyServer(fake.options).send({ url: keyUrl(3), reason: 'key', ...more });

it('each request carries a token that was asked for just then', async () => {
  const server = createKeyServer(fake.options);
  await server.send({ url: keyUrl(1), reason: 'key', leaseId: 'lease-1' });
  await server.send({ url: server.url('/keys/leases'), reason: 'lease', json: { contentId: 'film' } });
  expect(fake.asked).toEqual(['key', 'lease']);
  expect(fake.requests).toMatchObject([
    { method: 'GET', path: '/keys/film/1', token: 'Bearer token-1', leaseId: 'lease-1' },
    {
      method: 'POST',
      path: '/keys/leases',
      token: 'Bearer token-2',
      leaseId: null,
      json: { contentId: 'film' },
    },
  ]);
});

it('leaves the browser’s cache of preflights alone, so that not each request is preceded by another', async () => {
  const inits: (RequestInit | undefined)[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    inits.push(init);
    return fake.options.fetch?.(url, init) ?? unreachable();
  };
  await createKeyServer({ ...fake.options, fetch }).send({ url: keyUrl(3), reason: 'key' });
  expect(inits.map((init) => init?.cache)).toEqual([undefined]);
});

it('after a 401 the application is asked once more, and its new token is used', async () => {
  fake.answer('GET', ({ token }) =>
    token === 'Bearer token-1' ? problem(401, 'INVALID_TOKEN') : new Response(new Uint8Array(16)),
  );
  expect((await ask()).byteLength).toBe(16);
  expect(fake.asked).toEqual(['key', 'retry-after-401']);
});

it('a second 401 is final', async () => {
  fake.answer('GET', () => problem(401, 'INVALID_TOKEN', { requestId: 'r1' }));
  const error = await ask().catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: 'UNAUTHENTICATED',
    serverCode: 'INVALID_TOKEN',
    status: 401,
    requestId: 'r1',
    isTransient: false,
  });
  expect(fake.requests).toHaveLength(2);
});

it.each([
  [403, 'LEASE_REVOKED', 'LEASE_REVOKED', false],
  [403, 'TOKEN_REVOKED', 'TOKEN_REVOKED', false],
  [404, 'CONTENT_NOT_FOUND', 'CONTENT_NOT_FOUND', false],
  [400, 'VALIDATION_FAILED', 'REFUSED', false],
  [429, 'RATE_LIMITED', 'RATE_LIMITED', true],
  [503, 'DEPENDENCY_UNAVAILABLE', 'NETWORK', true],
  [502, '', 'NETWORK', true],
])('a %d %s is %s; it may pass: %s', async (status, serverCode, code, isTransient) => {
  fake.answer('GET', () => problem(status, serverCode));
  await expect(ask()).rejects.toMatchObject({ name: 'PlayerError', code, status, isTransient });
});

it('an answer that is no problem document is understood by its status', async () => {
  fake.answer(
    'GET',
    () => new Response('<h1>Forbidden</h1>', { status: 403, headers: { 'Retry-After': '9' } }),
  );
  await expect(ask()).rejects.toMatchObject({ code: 'REFUSED', retryAfterMs: 9_000 });
});

it('a server that cannot be reached or does not answer is NETWORK, and each attempt is told', async () => {
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt) => attempts.push(attempt);
  const gone = fake.answer('GET', unreachable);
  await expect(ask({ onAttempt })).rejects.toMatchObject({ code: 'NETWORK', isTransient: true });
  gone.restore();
  fake.answer('GET', () => new Promise(() => {}));
  const silent = ask({ onAttempt });
  silent.catch(() => {});
  await fake.clock.advance(8_000);
  await expect(silent).rejects.toMatchObject({ code: 'NETWORK', isTransient: true });
  expect(attempts).toEqual([
    { status: 0, durationMs: 0 },
    { status: 0, durationMs: 8_000 },
  ]);
});

it('a callback that fails may do better later, unless it says that it will not', async () => {
  const failing = (error: Error) =>
    createKeyServer({ ...fake.options, keyServerAuth: () => Promise.reject(error) }).send({
      url: keyUrl(1),
      reason: 'key',
    });
  await expect(failing(new Error('offline'))).rejects.toMatchObject({ code: 'NETWORK', isTransient: true });
  const final = new PlayerError('UNAUTHENTICATED', 'signed out');
  await expect(failing(final)).rejects.toBe(final);
  expect(fake.requests).toEqual([]);
});

it('a callback that gives no token in time has failed for now, and nothing was sent', async () => {
  const keyServerAuth = () => new Promise<string>(() => {});
  const asked = createKeyServer({ ...fake.options, keyServerAuth }).send({ url: keyUrl(1), reason: 'key' });
  asked.catch(() => {});
  await fake.clock.advance(8_000);
  await expect(asked).rejects.toMatchObject({
    code: 'NETWORK',
    isTransient: true,
    message: 'keyServerAuth gave no token within 8000 ms.',
  });
  expect(fake.requests).toEqual([]);
});

it.each(['lk_0123…', 'two\nlines'])(
  'a token that no header can carry (%j) is told for what it is, and is final',
  async (token) => {
    const server = createKeyServer({ ...fake.options, keyServerAuth: () => token });
    const error = await server.send({ url: keyUrl(1), reason: 'key' }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', isTransient: false });
    expect([error.cause, error.message.includes(token)]).toEqual([undefined, false]);
    expect(fake.requests).toEqual([]);
  },
);

it('an empty token sends no Authorization', async () => {
  await createKeyServer({ ...fake.options, keyServerAuth: () => '' }).send({ url: keyUrl(1), reason: 'key' });
  expect(fake.requests[0]?.token).toBeNull();
});

it('a page that is left sends at once: with a token that is at hand, or the last one', async () => {
  const server = createKeyServer(fake.options);
  server.sendNow({ url: server.url('/keys/leases/revoke'), reason: 'lease', json: {} });
  expect(fake.requests).toEqual([]);
  await server.send({ url: keyUrl(1), reason: 'key' });
  server.sendNow({ url: server.url('/keys/leases/revoke'), reason: 'lease', json: {} });
  expect(fake.requests.at(-1)).toMatchObject({ token: 'Bearer token-2', keepalive: true });
  const ready = createKeyServer({ ...fake.options, keyServerAuth: () => 'at-hand' });
  ready.sendNow({ url: server.url('/keys/leases/revoke'), reason: 'lease', json: {} });
  expect(fake.requests.at(-1)).toMatchObject({ token: 'Bearer at-hand', keepalive: true });
});
