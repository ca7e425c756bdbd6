import { beforeEach, expect, it } from 'vitest';
import { type Attempt, createKeyServer } from './key-server.ts';
import {
  createFakeKeyServer,
  type FakeKeyServer,
  keyUrl,
  problem,
  unreachable,
} from './testing/fake-key-server.ts';

let fake: FakeKeyServer;
beforeEach(() => {
  fake = createFakeKeyServer();
});
const ask = (more = {}) => createKeyServer(fake.options).send({ url: keyUrl(3), reason: 'key', ...more });

it('requests leave the browser’s cache of preflights in use, so that not each needs a preflight', async () => {
  const inits: (RequestInit | undefined)[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    inits.push(init);
    return fake.options.fetch?.(url, init) ?? unreachable();
  };
  await createKeyServer({ ...fake.options, fetch }).send({ url: keyUrl(3), reason: 'key' });
  expect(inits.map((init) => init?.cache)).toEqual([undefined]);
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
  [403, 'VIEWER_BLOCKED', 'VIEWER_BLOCKED', false],
  [403, 'TOKEN_REVOKED', 'TOKEN_REVOKED', false],
  [404, 'CONTENT_NOT_FOUND', 'CONTENT_NOT_FOUND', false],
  [400, 'VALIDATION_FAILED', 'REFUSED', false],
  [429, 'RATE_LIMITED', 'RATE_LIMITED', true],
  [503, 'DEPENDENCY_UNAVAILABLE', 'NETWORK', true],
  [502, '', 'NETWORK', true],
])('a %d %s is the error %s, whose isTransient is %s', async (status, serverCode, code, isTransient) => {
  fake.answer('GET', () => problem(status, serverCode));
  await expect(ask()).rejects.toMatchObject({ name: 'PlayerError', code, status, isTransient });
});

it.each([
  ['5', 5_000],
  ['Sat, 21 Nov 2026 12:00:31 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['soon', 0],
  ['', 0],
])('the Retry-After %j of an answer is a wait of %d ms', async (retryAfter, retryAfterMs) => {
  fake.answer('GET', () => new Response('', { status: 503, headers: { 'Retry-After': retryAfter } }));
  await expect(ask()).rejects.toMatchObject({ code: 'NETWORK', retryAfterMs });
});

it('a server that cannot be reached or does not answer is NETWORK, and each attempt is reported', async () => {
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
