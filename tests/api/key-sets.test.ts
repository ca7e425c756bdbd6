import { eventually } from '@latchkey/support/black-box/eventually';
import { askForKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { nowSeconds, signToken, viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { makeIssuerKey, startKeySetServer } from './key-set-server.ts';

const issuer = await startKeySetServer();
// Servers fetch it when they start.
issuer.publish(null);
// Servers of this file's own: their key set is served by this file.
const [both, keySetOnly] = await Promise.all([
  startServer({ AUTH_JWKS_URL: issuer.url }),
  startServer({ AUTH_JWKS_URL: issuer.url, AUTH_JWT_SECRET: undefined }),
]);
const contentId = await registerContent(both);
await registerContent(keySetOnly, contentId);
const accepted = ['RS256', 'ES256', 'EdDSA'];
const refused = ['RS512', 'PS256', 'ES384'];
/** A key for each algorithm. All are published, except in the first test. */
const keys = await Promise.all([...accepted, ...refused].map((alg) => makeIssuerKey(alg, unique(alg))));
const keyOf = (alg: string) => {
  const key = keys.find(({ jwk }) => jwk.alg === alg);
  if (!key) throw new Error(`no key for ${alg}`);
  return key;
};
const ask = (token: string, server = both) => askForKey(server, { token, contentId });
/**
 * Waits for an answer. A server waits 3 s for the set, and after a failure 5 s for the next fetch. If this process, which
 * serves the set, stalls for longer, the answer is right only after that.
 */
const answers = (expected: string, token: string, server = both) =>
  eventually(async () => expect(await ask(token, server)).toBe(expected));

it('a token gets 503 while the server has never had the key set', async () => {
  expect(await ask(await keyOf('ES256').sign('v'), keySetOnly)).toBe('503 DEPENDENCY_UNAVAILABLE');
  issuer.publish(keys);
});

it.each(accepted)(
  'a token signed with %s is accepted only with the signature of a published key, and until it expires',
  async (alg) => {
    const ours = keyOf(alg);
    await answers('200', await ours.sign('v'));
    expect(await ask(await ours.sign('v', { exp: nowSeconds() - 60 }))).toBe('401 INVALID_TOKEN');
    const theirs = await makeIssuerKey(alg, String(ours.jwk.kid));
    expect(await ask(await theirs.sign('v'))).toBe('401 INVALID_TOKEN');
  },
);

it('a token with a new key makes the server read the key set again at once', async () => {
  const after = await makeIssuerKey('ES256', unique('k'));
  issuer.publish([...keys, after]);
  await answers('200', await after.sign('v'));
  expect(await ask(await keyOf('ES256').sign('v'))).toBe('200');
});

it('tokens with invented key ids do not keep a new key out: its tokens get 503 with Retry-After until the key set is read again', async () => {
  const [after, forged] = await Promise.all([
    makeIssuerKey('ES256', unique('after')),
    makeIssuerKey('ES256', unique('forged')),
  ]);
  const token = await after.sign('v');
  const made = () => forged.sign('mallory', {}, { kid: unique('invented') });
  const seen: string[] = [];
  const askInvented = async () => ask(await made());
  await Promise.all(Array.from({ length: 10 }, askInvented));
  issuer.publish([...keys, after]);
  await eventually(async () => {
    await askInvented();
    const { status, code, headers } = await both.client.get(`/keys/${contentId}`, token);
    const retryAfter = Number(headers['retry-after']);
    if (status !== 200) seen.push(`${status} ${code} ${retryAfter >= 1 && retryAfter <= 5}`);
    expect(status).toBe(200);
  });
  expect(seen.filter((answer) => answer !== '503 DEPENDENCY_UNAVAILABLE true')).toEqual([]);
});

it('tokens with invented key ids do not make the server read the key set each time', async () => {
  const before = issuer.requests();
  // In rows, because the client of separate services sends a request again for some seconds while it gets 503.
  for (let row = 0; row < 4; row++)
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const forged = await makeIssuerKey('ES256', unique('forged'));
        expect(await ask(await forged.sign('v'))).toMatch(/^(401 INVALID_TOKEN|503 DEPENDENCY_UNAVAILABLE)$/);
      }),
    );
  expect(issuer.requests() - before).toBeLessThan(20);
});

// On the other server, which has not read the set since the first test and may therefore do so at once.
it('a token whose key is not published is refused', async () => {
  const theirs = await makeIssuerKey('ES256', unique('theirs'));
  await answers('401 INVALID_TOKEN', await theirs.sign('v'), keySetOnly);
  await answers('200', await keyOf('ES256').sign('v'), keySetOnly);
});

it('the alg of a token chooses between the secret and the key set', async () => {
  expect(await ask(viewerToken(both.jwtSecret, 'v'))).toBe('200');
  expect(await ask(viewerToken(both.jwtSecret, 'v'), keySetOnly)).toBe('401 INVALID_TOKEN');
});

it('a token signed by HS256 with a published key is refused', async () => {
  const { jwk } = keyOf('RS256');
  const claims = { sub: 'v', iat: nowSeconds(), exp: nowSeconds() + 600 };
  for (const material of [JSON.stringify(jwk), String(jwk.n)]) {
    const forged = signToken(Buffer.from(material), claims, { kid: jwk.kid });
    expect(await ask(forged)).toBe('401 INVALID_TOKEN');
  }
});

it.each(refused)(
  'a token signed with %s is refused, even if its key is published, and a token that names this key is told that it cannot be used',
  async (alg) => {
    expect(await ask(await keyOf(alg).sign('v'))).toBe('401 INVALID_TOKEN');
    const token = await keyOf('ES256').sign('v', {}, { kid: keyOf(alg).jwk.kid });
    const { status, json } = await both.client.get(`/keys/${contentId}`, token);
    expect([status, json.detail]).toEqual([
      401,
      'The token is not accepted. Its key in the key set cannot be used.',
    ]);
  },
);
