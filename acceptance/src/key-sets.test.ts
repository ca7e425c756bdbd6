import { describe, expect, it, vi } from 'vitest';
import { makeIssuerKey, startKeySetServer } from './key-set-server.ts';
import { askForKey, registerContent } from './server-actions.ts';
import { startServer } from './target.ts';
import { nowSeconds, signToken, unique, viewerToken } from './tokens.ts';

const issuer = await startKeySetServer();
// Servers fetch it when they start.
issuer.publish(null);
const both = await startServer({ AUTH_JWKS_URL: issuer.url });
const keySetOnly = await startServer({ AUTH_JWKS_URL: issuer.url, AUTH_JWT_SECRET: undefined });
const contentId = await registerContent(both);
await registerContent(keySetOnly, contentId);
const ask = (token: string, server = both) => askForKey(server, { token, contentId });
/**
 * A fetch of the set has 3 s, and the next is soon not before 10 s have passed: where this process, which serves it, stood
 * still for longer, the answer is right only then.
 */
const answers = (expected: string, token: string, server = both) =>
  vi.waitFor(async () => expect(await ask(token, server)).toBe(expected), { timeout: 40_000, interval: 500 });

it('503: a token cannot be checked while the key set was never to be had', async () => {
  const key = await makeIssuerKey('ES256', 'first');
  expect(await ask(await key.sign('v'), keySetOnly)).toBe('503 DEPENDENCY_UNAVAILABLE');
});

describe('a key set', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])(
    '%s is accepted, and only from a published key',
    async (alg) => {
      const [ours, theirs] = [
        await makeIssuerKey(alg, unique('ours')),
        await makeIssuerKey(alg, unique('theirs')),
      ];
      issuer.publish([ours]);
      await answers('200', await ours.sign('v'));
      expect(await ask(await ours.sign('v', { exp: nowSeconds() - 60 }))).toBe('401 INVALID_TOKEN');
      await answers('401 INVALID_TOKEN', await theirs.sign('v'));
    },
    120_000,
  );

  it('that rotates is read again for a key it did not have, at once', async () => {
    const [before, after] = [
      await makeIssuerKey('ES256', unique('k')),
      await makeIssuerKey('ES256', unique('k')),
    ];
    issuer.publish([before]);
    await answers('200', await before.sign('v'), keySetOnly);
    issuer.publish([before, after]);
    await answers('200', await after.sign('v'), keySetOnly);
    expect(await ask(await before.sign('v'), keySetOnly)).toBe('200');
  }, 120_000);

  it('is not asked for each made-up key id', async () => {
    const key = await makeIssuerKey('ES256', unique('k'));
    const before = issuer.requests();
    for (let n = 0; n < 40; n++) {
      const forged = await makeIssuerKey('ES256', unique('forged'));
      expect(await ask(await forged.sign('v'), keySetOnly)).toMatch(
        /^(401 INVALID_TOKEN|503 DEPENDENCY_UNAVAILABLE)$/,
      );
    }
    expect(key.jwk.kid).toBeTruthy();
    expect(issuer.requests() - before).toBeLessThan(20);
  }, 90_000);
});

describe('with a secret and a key set', () => {
  it('the alg of the token picks the verifier', async () => {
    expect(await ask(viewerToken(both.jwtSecret, 'v'))).toBe('200');
    expect(await ask(viewerToken(both.jwtSecret, 'v'), keySetOnly)).toBe('401 INVALID_TOKEN');
  });

  it('a published key is no secret: HS256 made from it is refused', async () => {
    const key = await makeIssuerKey('RS256', unique('k'));
    issuer.publish([key]);
    const claims = { sub: 'v', iat: nowSeconds(), exp: nowSeconds() + 600 };
    for (const material of [JSON.stringify(key.jwk), String(key.jwk.n)]) {
      const forged = signToken(Buffer.from(material), claims, { kid: key.jwk.kid });
      expect(await ask(forged)).toBe('401 INVALID_TOKEN');
    }
  });

  it.each(['RS512', 'PS256', 'ES384'])('%s is refused, though it is in the key set', async (alg) => {
    const key = await makeIssuerKey(alg, unique('k'));
    issuer.publish([key]);
    expect(await ask(await key.sign('v'))).toBe('401 INVALID_TOKEN');
  });
});
