import { eventually } from '@latchkey/support/black-box/eventually';
import { openTarget, startServer } from '@latchkey/support/black-box/target';
import { nowSeconds } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';
import { keyServerUrl, openPlayerSetup, otherKeyServerUrl, pageOrigin } from './player-setup.ts';
import { countStatuses, isForKeyServer, isKeyRequest, isLeaseRequest } from './requests.ts';
import { freshToken, openScene } from './scene.ts';

// Faults between the player and the application around it.
const stage = await openPlayerSetup('short', openTarget());
const film = await stage.encrypt();
/** Accepts no token after its `exp`. */
const strict = await startServer({ CORS_ORIGINS: pageOrigin, AUTH_JWT_CLOCK_TOLERANCE_SECONDS: '0' });

describe.concurrent('a keyServerAuth', () => {
  it.for(['undefined', 'null', 'a number', 'an object'] as const)(
    'a keyServerAuth that returns %s ends playback with AUTH_FAILED, which names what it returned, before any request',
    async (auth, test) => {
      const scene = await openScene(stage, test, { film });
      const error = await scene.load({ auth });
      expect(error).toMatchObject({ name: 'PlayerError', code: 'AUTH_FAILED' });
      expect(error?.message).toContain(`gave ${auth}.`);
      expect((await scene.seen()).errors).toHaveLength(1);
      expect(scene.wire.requests.filter(isForKeyServer)).toEqual([]);
    },
  );

  it('a keyServerAuth that throws is called again, and after patienceSeconds the error has its message', async (test) => {
    const scene = await openScene(stage, test, { film });
    const loading = scene.load({ auth: 'an error', hasOwnTime: true, patienceSeconds: 20 });
    expect((await scene.until('seen.retries.length > 0')).errors).toEqual([]);
    await scene.jump(20_000);
    const error = await loading;
    expect(error).toMatchObject({ code: 'AUTH_FAILED', message: 'keyServerAuth failed: the shop is closed' });
    expect((await scene.seen()).retries.map(({ code }) => code)).toContain('AUTH_FAILED');
    expect(scene.wire.requests.filter(isForKeyServer)).toEqual([]);
  });
});

describe.concurrent('a key server that answers with Retry-After', () => {
  it.for(['seconds', 'a date'] as const)(
    'a key server that answers with Retry-After of 30 s, written as %s, gets no other key request before that',
    async (form, test) => {
      const scene = await openScene(stage, test, { film });
      const inHalfAMinute = new Date(Math.ceil(Date.now() / 1_000 + 30) * 1_000).toUTCString();
      const retryAfter = form === 'seconds' ? '30' : inHalfAMinute;
      const restore = scene.wire.answer(isKeyRequest, 503, { 'Retry-After': retryAfter });
      expect(await scene.load({ hasOwnTime: true })).toBeNull();
      await scene.until('seen.retries.length === 1');
      const asked = scene.given.length;
      // A busy machine may have taken some seconds by now.
      for (const _ of Array.from({ length: 4 })) await scene.letPass(5_000);
      expect(scene.given).toHaveLength(asked);
      restore();
      await scene.letPass(30_000);
      const { errors } = await scene.until('seen.bufferedEnd > 1');
      expect(errors).toEqual([]);
      expect(countStatuses(scene.wire.requests.filter(isKeyRequest))[503]).toBe(1);
    },
  );

  it('a Retry-After of an hour delays the error no longer than `patienceSeconds`', async (test) => {
    const scene = await openScene(stage, test, { film });
    scene.wire.answer(isKeyRequest, 503, { 'Retry-After': '3600' });
    expect(await scene.load({ hasOwnTime: true, patienceSeconds: 30 })).toBeNull();
    await scene.until('seen.retries.length === 1');
    await scene.jump(30_000);
    const { errors } = await scene.until('seen.errors.length > 0');
    expect(errors).toMatchObject([{ code: 'NETWORK', status: 503 }]);
    expect(scene.wire.requests.filter(isKeyRequest)).toHaveLength(1);
  });
});

it.concurrent('keys at another URL than keyServerUrl are requested at most twice, and the error names both URLs', async (test) => {
  const scene = await openScene(stage, test, { film });
  await scene.load({ keyServerUrl: otherKeyServerUrl });
  const { errors } = await scene.until('seen.errors.length > 0');
  expect(errors).toMatchObject([{ code: 'KEY_ELSEWHERE', status: 401 }]);
  expect(errors[0]?.message).toContain(`${keyServerUrl}/keys/${film.contentId}/0`);
  expect(errors[0]?.message).toContain(otherKeyServerUrl);
  const keys = scene.wire.requests.filter(isKeyRequest);
  expect(keys.length).toBeLessThanOrEqual(2);
  expect(keys.filter(({ headers }) => headers.authorization)).toEqual([]);
});

it.concurrent('keys at another URL than keyServerUrl that does not answer are requested at most twice', async (test) => {
  const scene = await openScene(stage, test, { film });
  scene.wire.cut(isKeyRequest);
  await scene.load({ keyServerUrl: otherKeyServerUrl });
  const { errors } = await scene.until('seen.errors.length > 0');
  expect(errors).toMatchObject([{ code: 'KEY_ELSEWHERE' }]);
  expect(scene.wire.requests.filter(isKeyRequest)).toHaveLength(2);
});

it.concurrent('a page that is closed after its last token has expired gives its lease back, though the callback needs time', async (test) => {
  const oneKey = await stage.encrypt({ rotateEvery: 100, server: strict });
  const token = () => freshToken(strict, 'late', { iat: nowSeconds(), exp: nowSeconds() + 3 });
  const scene = await openScene(stage, test, { film: oneKey, server: strict, token });
  await scene.play();
  const { leaseId } = await scene.until('seen.currentTime > 5');
  // The keys and the lease were requested at the start, with tokens that have expired by now.
  const [key] = scene.wire.requests.filter(isKeyRequest);
  expect(scene.wire.requests.filter(isLeaseRequest('/renew'))).toEqual([]);
  expect(performance.now() - (key?.atMs ?? 0)).toBeGreaterThan(4_000);
  await scene.page.close();
  await eventually(async () => {
    const { json } = await strict.client.get(`/api/v1/leases/${leaseId}`, strict.adminApiKey);
    expect(json.lease).toMatchObject({ state: 'revoked', revokedBy: 'viewer' });
  });
});
