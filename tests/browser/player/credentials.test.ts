import { eventually } from '@latchkey/support/black-box/eventually';
import { openTarget } from '@latchkey/support/black-box/target';
import { nowSeconds } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';
import { openPlayerSetup, pageOrigin, unlistedOrigin } from './player-setup.ts';
import {
  countStatuses,
  isForKeyServer,
  isKeyRequest,
  isLeaseCall,
  isLeaseRequest,
  isPreflight,
} from './requests.ts';
import { freshToken, openScene, type PlayScene } from './scene.ts';

const stage = await openPlayerSetup('short', openTarget());
const film = await stage.encrypt();
/** Longer than the longest pause between two attempts (4.5 s). */
const quietMs = 5_000;
/** Longer than any lease lives unless it is renewed. */
const leaseMs = 3_600_000;

const expired = () =>
  freshToken(stage.target, 'late', { iat: nowSeconds() - 1_000, exp: nowSeconds() - 500 });
const reasonsOf = ({ given }: PlayScene) =>
  given.map(({ reason }) => reason).filter((reason) => reason !== 'lease');

describe.concurrent('the token', () => {
  it('the player requests a token before each key request, uses each once, and sends none to another server', async (test) => {
    const scene = await openScene(stage, test, { film });
    await scene.play({ rate: 4 });
    await scene.until('seen.ended');
    const { wire, given } = scene;

    const keys = wire.requests.filter(isKeyRequest);
    const sent = keys.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
    expect(keys.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sent).size).toBe(keys.length);
    expect(sent.sort()).toEqual(
      given
        .filter(({ reason }) => reason === 'key')
        .map(({ token }) => token)
        .sort(),
    );
    // Created, and given back with the end.
    const isReleased = () => expect(wire.requests.some(isLeaseRequest('/revoke'))).toBe(true);
    await eventually(isReleased);
    const leases = wire.requests.filter(isLeaseCall);
    expect(new Set([...keys, ...leases].map(({ headers }) => headers.authorization)).size).toBe(given.length);
    expect(new Set(keys.map(({ headers }) => headers['x-lease-id'])).size).toBe(1);

    const others = wire.requests.filter((asked) => !isForKeyServer(asked));
    expect(others.filter(({ path }) => path.endsWith('.ts')).length).toBeGreaterThanOrEqual(6);
    const shown = others.map(({ path, headers, body }) => JSON.stringify([path, headers, body]));
    const secrets = [...given.map(({ token }) => token), keys[0]?.headers['x-lease-id'] as string];
    expect(shown.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  });

  it('after a refused token the player requests another once, and with a valid one playback goes on', async (test) => {
    let keys = 0;
    const token = (reason: string) => {
      if (reason === 'key') keys += 1;
      return reason === 'key' && keys === 1 ? expired() : undefined;
    };
    const scene = await openScene(stage, test, { film, token });
    await scene.play({ rate: 4 });
    const { errors, metrics } = await scene.until('seen.ended');
    expect(errors).toEqual([]);
    expect(reasonsOf(scene)).toEqual(['key', 'retry-after-401', 'key', 'key']);
    expect(countStatuses(scene.wire.requests.filter(isKeyRequest))).toEqual({ 401: 1, 200: 3 });
    expect(metrics.keyFetchCount).toBe(4);
  });

  it('two refused tokens in a row end playback with UNAUTHENTICATED, and nothing is requested afterwards', async (test) => {
    const token = (reason: string) => (reason === 'lease' ? undefined : expired());
    const scene = await openScene(stage, test, { film, token });
    await scene.load({ hasOwnTime: true });
    const { errors, metrics } = await scene.until('seen.errors.length > 0');
    expect(errors).toMatchObject([{ name: 'PlayerError', code: 'UNAUTHENTICATED', status: 401 }]);
    expect(await scene.wire.next(isForKeyServer, quietMs)).toBeUndefined();
    const asked = scene.given.length;
    await scene.letPass(leaseMs);
    expect(scene.given).toHaveLength(asked);
    expect(reasonsOf(scene)).toEqual(['key', 'retry-after-401']);
    expect(countStatuses(scene.wire.requests.filter(isKeyRequest))).toEqual({ 401: 2 });
    expect(metrics.keyFetchCount).toBe(2);
    expect((await scene.seen()).errors).toHaveLength(1);
  });
});

describe.concurrent('from another origin than the key server’s', () => {
  it('from an origin in CORS_ORIGINS, the browser sends one preflight for each URL, and no other within two hours', async (test) => {
    const scene = await openScene(stage, test, { film });
    await scene.play({ rate: 4 });
    await scene.until('seen.ended');
    await scene.page.reload();
    await scene.page.waitForFunction('window.isReady');
    await scene.play({ rate: 4 });
    const { errors } = await scene.until('seen.ended');
    expect(errors).toEqual([]);

    const preflights = scene.wire.requests.filter(isPreflight);
    const asked = scene.wire.requests.filter(isForKeyServer).filter(({ method }) => method !== 'OPTIONS');
    const pathsOf = (requests: typeof asked) => requests.map(({ path }) => path).sort();
    expect(asked.filter(isKeyRequest)).toHaveLength(6);
    expect(pathsOf(preflights)).toEqual([...new Set(pathsOf(asked))].sort());
    for (const { status, headers, answerHeaders } of preflights) {
      expect(status).toBe(204);
      expect(headers.origin).toBe(pageOrigin);
      expect(headers.authorization).toBeUndefined();
      expect(answerHeaders?.['access-control-allow-origin']).toBe(pageOrigin);
      expect(answerHeaders?.['access-control-max-age']).toBe('7200');
    }
  });

  it.for([true, false])(
    'from an origin that is not in CORS_ORIGINS, with leases (%s), only preflights are sent, and playback ends with NETWORK',
    async (leases, test) => {
      const scene = await openScene(stage, test, { film, origin: unlistedOrigin });
      const loaded = scene.load({ hasOwnTime: true, patienceSeconds: 600, ...(!leases && { leases }) });
      expect((await scene.until('seen.retries.length > 1')).errors).toEqual([]);
      await scene.jump(600_000);
      const { errors, retries } = await scene.until('seen.errors.length > 0');
      await loaded;
      expect(errors).toMatchObject([{ code: 'NETWORK', message: expect.stringContaining('CORS_ORIGINS') }]);
      expect(errors[0]?.status).toBeUndefined();
      expect(new Set(retries.map(({ code }) => code))).toEqual(new Set(['NETWORK']));
      expect(scene.wire.requests.filter(isForKeyServer).every(isPreflight)).toBe(true);
      expect(await scene.wire.next(isForKeyServer, quietMs)).toBeUndefined();
    },
  );
});
