import { createLocalJWKSet, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { makeIssuerKey, signToken, viewerToken } from './tokens.ts';

const secret = 'a secret of 32 bytes or more, for tests';
const verify = (token: string, key = secret) =>
  jwtVerify(token, Buffer.from(key), { algorithms: ['HS256'], requiredClaims: ['sub', 'iat', 'exp'] });

it("jose verifies a viewer's token with the given claims", async () => {
  const { payload, protectedHeader } = await verify(viewerToken(secret, 'viewer', { content_ids: ['film'] }));
  expect(payload).toMatchObject({ sub: 'viewer', content_ids: ['film'] });
  expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'JWT' });
});

it.each([
  ['of another secret', viewerToken('another secret of 32 bytes or more', 'viewer')],
  [
    'whose header names no algorithm',
    signToken(secret, { sub: 'viewer', iat: 1, exp: 4e9 }, { alg: 'none' }),
  ],
  ['that has expired', viewerToken(secret, 'viewer', { exp: 1 })],
  ['without a required claim', viewerToken(secret, 'viewer', { iat: undefined })],
])('jose refuses a token %s', async (_what, token) => {
  await expect(verify(token)).rejects.toThrow();
});

it.each(['RS256', 'ES256', 'EdDSA'])('jose verifies what an issuer signs with its %s key', async (alg) => {
  const key = await makeIssuerKey(alg, 'first');
  const { payload } = await jwtVerify(
    await key.sign('viewer', { aud: 'players' }),
    createLocalJWKSet({ keys: [key.jwk] }),
  );
  expect(payload).toMatchObject({ sub: 'viewer', aud: 'players' });
});
