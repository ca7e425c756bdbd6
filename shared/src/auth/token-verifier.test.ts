import { createPublicKey } from 'node:crypto';
import { makeIssuerKey, signToken } from '@latchkey/support/tokens';
import { afterEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { hashCredential } from './api-key.ts';
import { createKeySet } from './key-set.ts';
import { createTokenVerifier, type TokenRules } from './token-verifier.ts';
import { usualIssuer } from './usual-rules.fixture.ts';

const secret = Buffer.from('a secret of tests, longer than 32 bytes');
const otherSecret = Buffer.from('another secret, it too longer than 32 bytes');
const clock = createManualClock();
const now = clock.now() / 1_000;
const good = { sub: 'alice', iat: now, exp: now + 900 };
let accepted: readonly [Buffer, ...Buffer[]] = [secret];
afterEach(() => {
  accepted = [secret];
});

function create(
  rules: Partial<TokenRules> = {},
  keys: object[] | null = null,
  at = createManualClock(),
  maxBytes = 1_000_000,
) {
  const fetchJson = async () => ({ keys });
  const keySet = keys && createKeySet({ fetchJson, clock: at, onFault: () => {}, onUnusableKeys: () => {} });
  const verifier = createTokenVerifier({
    issuers: usualIssuer({ secrets: accepted, keySet }, rules),
    clock: at,
    maxBytes,
  });
  const verify = async (token: string) => verifier.verify(token, hashCredential(token));
  return { verify, verifier, at };
}

const refused = (promise: Promise<unknown>) =>
  expect(promise).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
const hs256 = (claims: Record<string, unknown>, header = {}) =>
  signToken(secret, { ...good, ...claims }, header);

describe('algorithms', () => {
  test('a token with HS256 and the shared secret is accepted', async () => {
    expect(await create().verify(hs256({}))).toEqual({
      kind: 'viewer',
      id: 'alice',
      issuedNotBefore: (now - 10) * 1_000,
      issuedAt: now * 1_000,
      contents: null,
      issuerContents: null,
      mayUpload: false,
    });
  });

  test('an RSA public key is never accepted as a shared secret, in any form', async () => {
    const key = await makeIssuerKey('RS256', 'k1');
    const published = createPublicKey({ key: key.jwk, format: 'jwk' });
    const pem = published.export({ type: 'spki', format: 'pem' });
    const secrets = [
      pem,
      pem.toString().trimEnd(),
      published.export({ type: 'spki', format: 'der' }),
      JSON.stringify(key.jwk),
      key.jwk.n ?? '',
    ];
    const { verify } = create({}, [key.jwk]);
    for (const confused of secrets)
      await refused(verify(signToken(Buffer.from(confused), good, { kid: 'k1' })));
  });

  test('a symmetric key in the set is never used', async () => {
    const shared = { kty: 'oct', k: otherSecret.toString('base64url'), kid: 'k1', alg: 'HS256' };
    await refused(create({}, [shared]).verify(signToken(otherSecret, good, { kid: 'k1' })));
  });
});

describe('times', () => {
  const accepts = (claims: Record<string, unknown>) => create().verify(hs256(claims));

  test('exp is required, must be a number, and is tolerated for 10 seconds and not for 11', async () => {
    await refused(accepts({ exp: undefined }));
    await refused(accepts({ exp: String(now + 900) }));
    await accepts({ exp: now - 9 });
    await refused(accepts({ exp: now - 10 }));
    await refused(accepts({ exp: now - 11 }));
  });

  test('nbf is tolerated for 10 seconds and not for 11', async () => {
    await accepts({ nbf: now - 1 });
    await accepts({ nbf: now + 10 });
    await refused(accepts({ nbf: now + 11 }));
    await refused(accepts({ nbf: 'soon' }));
  });

  test('iat is tolerated 10 seconds ahead and not 11: a token from the future would outlive every mark', async () => {
    await accepts({ iat: now + 10 });
    await refused(accepts({ iat: now + 11 }));
    await refused(accepts({ iat: 'today' }));
  });

  test('a token whose iat is a day old is accepted, and one that is a second older is refused', async () => {
    await accepts({ iat: now - 86_400 });
    await refused(accepts({ iat: now - 86_401 }));
  });

  test('where iat is not required, a token without it is accepted if its exp is at most a day away', async () => {
    const { verify } = create({ requireIssuedAt: false });
    const undated = (exp: number) => verify(hs256({ iat: undefined, exp }));
    expect(await undated(now + 86_400)).toMatchObject({ issuedNotBefore: null });
    await refused(undated(now + 86_401));
    await refused(undated(1e300));
    expect(await verify(hs256({ iat: now - 5 }))).toMatchObject({ issuedNotBefore: (now - 15) * 1_000 });
  });

  test('the clock tolerance and the maximum age follow the configuration', async () => {
    const { verify } = create({ clockToleranceSeconds: 0, maxAgeSeconds: 60 });
    await refused(verify(hs256({ exp: now })));
    await refused(verify(hs256({ nbf: now + 1 })));
    await refused(verify(hs256({ iat: now - 61 })));
    expect(await verify(hs256({ iat: now - 60 }))).toMatchObject({ id: 'alice' });
  });
});

describe('claims', () => {
  test('sub must be a non-empty text that can be stored', async () => {
    const { verify } = create();
    for (const sub of ['', 'a\u0000', 'x'.repeat(1_025), 'é'.repeat(600), '\ud800'])
      await refused(verify(hs256({ sub })));
    expect(await verify(hs256({ sub: 'x'.repeat(1_024) }))).toMatchObject({ kind: 'viewer' });
  });

  test('only the word upload in scope lets a viewer upload', async () => {
    for (const [scope, mayUpload] of [
      ['play upload', true],
      ['uploads', false],
      [['upload'], false],
    ] as const) {
      expect(await create().verify(hs256({ scope }))).toMatchObject({ mayUpload });
    }
  });
});

describe('remembered tokens', () => {
  test('a remembered token is accepted without waiting, and only while its times allow it', async () => {
    const { verify, verifier, at } = create();
    const token = hs256({ exp: now + 60 });
    await verify(token);
    expect(verifier.verify(token, hashCredential(token))).not.toBeInstanceOf(Promise);
    at.advance(69_000);
    expect(await verify(token)).toMatchObject({ id: 'alice' });
    at.advance(1_000);
    await refused(verify(token));
  });

  test('a list of 250 contents takes a few kilobytes once for all remembered tokens that carry it, and evicts none', async () => {
    const { verify, verifier } = create({}, null, createManualClock(), 30_000);
    const contents = Array.from({ length: 250 }, (_, i) => `content-of-a-subscription-${i}`);
    const tokens = Array.from({ length: 40 }, (_, i) => hs256({ sub: `viewer ${i}`, content_ids: contents }));
    for (const token of tokens) await verify(token);
    for (const token of tokens) {
      const viewer = verifier.verify(token, hashCredential(token));
      expect(viewer).toMatchObject({ kind: 'viewer' });
      expect('contents' in viewer && contents.every((id) => viewer.contents?.has(id))).toBe(true);
    }
  });

  test('a remembered token is refused beyond the maximum age', async () => {
    const { verify, at } = create({ maxAgeSeconds: 60 });
    const token = hs256({});
    await verify(token);
    at.advance(60_000);
    await verify(token);
    at.advance(1);
    await refused(verify(token));
  });

  test('a refused token is refused again', async () => {
    const { verify, at } = create();
    const token = hs256({ nbf: now + 60 });
    await refused(verify(token));
    at.advance(60_000);
    expect(await verify(token)).toMatchObject({ id: 'alice' });
  });
});

describe('several secrets', () => {
  test.each([
    ['of the usual form', {}],
    ['with a header that only jose reads', { b: 'unusual' }],
  ])('a token %s is accepted by any of the secrets, remembered or not', async (_, header) => {
    const tokens = [secret, otherSecret].map((by) => signToken(by, good, header));
    const { verify } = create();
    expect(await verify(tokens[0] ?? '')).toMatchObject({ id: 'alice' });
    await refused(verify(tokens[1] ?? ''));
    for (const order of [[secret, otherSecret] as const, [otherSecret, secret] as const]) {
      accepted = order;
      const { verify } = create();
      for (const token of [...tokens, ...tokens]) expect(await verify(token)).toMatchObject({ id: 'alice' });
    }
  });
});
