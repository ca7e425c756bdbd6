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
 * Waits for an answer. A server waits 3 s for the set, and after a failure 5 s for the next fetch. If this process, which
 * serves the set, stalls for longer, the answer is right only after that.
 */
const answers = (expected: string, token: string, server = both) =>
  vi.waitFor(async () => expect(await ask(token, server)).toBe(expected), { timeout: 40_000, interval: 500 });

it('a token gets 503 while the server has never had the key set', async () => {
  const key = await makeIssuerKey('ES256', 'first');
  expect(await ask(await key.sign('v'), keySetOnly)).toBe('503 DEPENDENCY_UNAVAILABLE');
});

describe('a key set', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])(
    'a token signed with %s is accepted only if its key is published',
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

  it('a token with a new key makes the server read the key set again at once', async () => {
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

  it('tokens with invented key ids do not keep a new key out: its tokens get 503 with Retry-After until the key set is read again', async () => {
    const [before, after, forged] = await Promise.all(
      ['before', 'after', 'forged'].map((name) => makeIssuerKey('ES256', unique(name))),
    );
    if (!before || !after || !forged) throw new Error('no keys');
    issuer.publish([before]);
    await answers('200', await before.sign('v'), keySetOnly);
    const token = await after.sign('v');
    const made = () => forged.sign('mallory', {}, { kid: unique('invented') });
    const seen: string[] = [];
    const askInvented = async () => ask(await made(), keySetOnly);
    await Promise.all(Array.from({ length: 10 }, askInvented));
    issuer.publish([before, after]);
    await vi.waitFor(
      async () => {
        await ask(await made(), keySetOnly);
        const { status, code, headers } = await keySetOnly.client.get(`/keys/${contentId}`, token);
        const retryAfter = Number(headers['retry-after']);
        if (status !== 200) seen.push(`${status} ${code} ${retryAfter >= 1 && retryAfter <= 5}`);
        expect(status).toBe(200);
      },
      { timeout: 40_000, interval: 200 },
    );
    expect(seen.filter((answer) => answer !== '503 DEPENDENCY_UNAVAILABLE true')).toEqual([]);
  }, 90_000);

  it('tokens with invented key ids do not make the server read the key set each time', async () => {
    const key = await makeIssuerKey('ES256', unique('k'));
    const before = issuer.requests();
    // In rows, because the client of separate services sends a request again for some seconds while it gets 503.
    for (let row = 0; row < 4; row++)
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const forged = await makeIssuerKey('ES256', unique('forged'));
          expect(await ask(await forged.sign('v'), keySetOnly)).toMatch(
            /^(401 INVALID_TOKEN|503 DEPENDENCY_UNAVAILABLE)$/,
          );
        }),
      );
    expect(key.jwk.kid).toBeTruthy();
    expect(issuer.requests() - before).toBeLessThan(20);
  }, 90_000);
});

describe('with a secret and a key set', () => {
  it('the alg of a token chooses between the secret and the key set', async () => {
    expect(await ask(viewerToken(both.jwtSecret, 'v'))).toBe('200');
    expect(await ask(viewerToken(both.jwtSecret, 'v'), keySetOnly)).toBe('401 INVALID_TOKEN');
  });

  it('a token signed by HS256 with a published key is refused', async () => {
    const key = await makeIssuerKey('RS256', unique('k'));
    issuer.publish([key]);
    const claims = { sub: 'v', iat: nowSeconds(), exp: nowSeconds() + 600 };
    for (const material of [JSON.stringify(key.jwk), String(key.jwk.n)]) {
      const forged = signToken(Buffer.from(material), claims, { kid: key.jwk.kid });
      expect(await ask(forged)).toBe('401 INVALID_TOKEN');
    }
  });

  it.each(['RS512', 'PS256', 'ES384'])(
    'a token signed with %s is refused, even if its key is published',
    async (alg) => {
      const key = await makeIssuerKey(alg, unique('k'));
      issuer.publish([key]);
      expect(await ask(await key.sign('v'))).toBe('401 INVALID_TOKEN');
    },
  );
});
