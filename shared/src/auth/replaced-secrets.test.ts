import { makeIssuerKey, signToken } from '@latchkey/rig/tokens';
import { afterEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { hashCredential } from './api-key.ts';
import { createKeySet } from './key-set.ts';
import { createTokenVerifier } from './token-verifier.ts';

const secret = Buffer.from('a secret of tests, longer than 32 bytes');
const otherSecret = Buffer.from('another secret, it too longer than 32 bytes');
const clock = createManualClock();
const now = clock.now() / 1_000;
const good = { sub: 'alice', iat: now, exp: now + 900 };
const refused = (promise: Promise<unknown>) =>
  expect(promise).rejects.toMatchObject({ code: 'INVALID_TOKEN' });

let accepted: readonly [Buffer, ...Buffer[]] = [secret];
afterEach(() => {
  accepted = [secret];
});

function create(keys: object[] | null) {
  const fetchJson = async () => ({ keys });
  const verifier = createTokenVerifier({
    secrets: () => accepted,
    keySet: keys && createKeySet({ fetchJson, clock, onFault: () => {} }),
    rules: {
      audience: null,
      issuer: null,
      clockToleranceSeconds: 10,
      maxAgeSeconds: 86_400,
      requireIssuedAt: true,
      viewerClaim: 'sub',
      contentClaim: 'content_ids',
      contentClaimRequired: false,
    },
    clock,
  });
  return { verifier, verify: async (token: string) => verifier.verify(token, hashCredential(token)) };
}

describe('secrets that are replaced', () => {
  test.each([
    ['of the usual form', {}],
    ['with a header that only jose reads', { b: 'unusual' }],
  ])('a token %s is accepted while its secret is, remembered or not', async (_, header) => {
    const { verify } = create(null);
    const [one, two] = [secret, otherSecret].map((by) => signToken(by, good, header));
    if (!one || !two) throw new Error('not signed');
    expect(await verify(one)).toMatchObject({ id: 'alice' });
    await refused(verify(two));
    accepted = [secret, otherSecret];
    for (const token of [one, two, one, two]) expect(await verify(token)).toMatchObject({ id: 'alice' });
    accepted = [otherSecret, secret];
    for (const token of [one, two]) expect(await verify(token)).toMatchObject({ id: 'alice' });
    accepted = [otherSecret];
    await refused(verify(one));
    expect(await verify(two)).toMatchObject({ id: 'alice' });
  });

  test('a token that a key set verified is remembered while a secret is replaced', async () => {
    const key = await makeIssuerKey('ES256', 'k1');
    const { verify, verifier } = create([key.jwk]);
    const token = await key.sign('bob', good);
    // The first one has the key set fetched, and is not remembered.
    for (let n = 0; n < 2; n++) await verify(token);
    accepted = [otherSecret];
    expect(verifier.recall(token, hashCredential(token))).toMatchObject({ id: 'bob' });
  });
});
