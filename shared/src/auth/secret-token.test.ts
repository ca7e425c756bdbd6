import { createHmac } from 'node:crypto';
import { signToken } from '@latchkey/support/tokens';
import fc from 'fast-check';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { createSecretTokenReader } from './secret-token.ts';

const secret = Buffer.from('0123456789abcdef0123456789abcdef');
const nowSeconds = 1_767_225_600;
const tolerance = 10;
const usual = { sub: 'ada', iat: nowSeconds - 60, exp: nowSeconds + 600 };

interface Rules {
  audience: string | null;
  issuer: string | null;
}
const noRules: Rules = { audience: null, issuer: null };

/** What jose accepts, with the options of the verifier. */
async function acceptedByJose(token: string, { audience, issuer }: Rules): Promise<object | null> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      clockTolerance: tolerance,
      currentDate: new Date(nowSeconds * 1_000 + 700),
      requiredClaims: ['exp'],
      ...(audience === null ? {} : { audience }),
      ...(issuer === null ? {} : { issuer }),
    });
    return payload;
  } catch {
    return null;
  }
}

const read = (token: string, rules: Rules) =>
  createSecretTokenReader(secret, { ...rules, clockToleranceSeconds: tolerance })(
    token,
    nowSeconds * 1_000 + 700,
  );

/** Signs any text as header and claims, JSON or not. */
function signText(header: string, claims: string): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const plainHeader = '{"alg":"HS256","typ":"JWT"}';

test('tokens as applications sign them are read at once, with the claims that jose reads', async () => {
  for (const [claims, header, rules] of [
    [usual, {}, noRules],
    [
      { ...usual, content_ids: ['a', 'b'], scope: 'upload', nbf: nowSeconds, jti: 'ä' },
      { kid: 'one' },
      noRules,
    ],
    [{ ...usual, aud: ['x', 'keys'], iss: 'app' }, { typ: undefined }, { audience: 'keys', issuer: 'app' }],
  ] as const) {
    const token = signToken(secret, claims, header);
    expect(read(token, rules)).toEqual(claims);
    expect(await acceptedByJose(token, rules)).toEqual(claims);
  }
});

test('no token that jose refuses is read: hostile headers, signatures, encodings, times, audiences and issuers', async () => {
  const valid = signToken(secret, usual);
  const [head = '', claims = '', signature = ''] = valid.split('.');
  const last = signature.slice(-1);
  const hostile: [string, Rules][] = [
    ...[
      signToken('another secret, which is as long as that', usual),
      signToken(secret, usual, { alg: 'none' }),
      signToken(secret, usual, { alg: 'HS512' }),
      signToken(secret, usual, { alg: 'hs256' }),
      signToken(secret, usual, { crit: ['exp'], exp: 1 }),
      signToken(secret, usual, { b64: false, crit: ['b64'] }),
      `${head}.${claims}.`,
      `${head}.${claims}`,
      `${head}.${claims}.${signature}.`,
      `${head}..${signature}`,
      `${head}.${claims}=.${signature}`,
      ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
        .filter((letter) => letter !== last)
        .map((letter) => valid.slice(0, -1) + letter),
      signText(plainHeader, 'null'),
      signText(plainHeader, '[]'),
      signText(plainHeader, '"a"'),
      signText(plainHeader, `${JSON.stringify(usual)} x`),
      signText(plainHeader, `\uFEFF${JSON.stringify(usual)}`),
      signText('[]', JSON.stringify(usual)),
      signText('null', JSON.stringify(usual)),
      signText('{"alg":"HS256","alg":"none"}', JSON.stringify(usual)),
      signToken(secret, { ...usual, exp: undefined }),
      ...['1', null, {}, true].flatMap((value) =>
        ['exp', 'nbf', 'iat'].map((name) => signToken(secret, { ...usual, [name]: value })),
      ),
    ].map((token): [string, Rules] => [token, noRules]),
    ...[-tolerance - 1, -tolerance, -tolerance + 1, 0].map((offset): [string, Rules] => [
      signToken(secret, { ...usual, exp: nowSeconds + offset }),
      noRules,
    ]),
    ...[tolerance, tolerance + 0.5, tolerance + 1].map((offset): [string, Rules] => [
      signToken(secret, { ...usual, nbf: nowSeconds + offset }),
      noRules,
    ]),
    ...[undefined, 'other', ['other'], [], 7, ['keys', 7], 'keys'].map((aud): [string, Rules] => [
      signToken(secret, { ...usual, aud }),
      { ...noRules, audience: 'keys' },
    ]),
    ...[undefined, 'other', ['app'], 7, 'app'].map((iss): [string, Rules] => [
      signToken(secret, { ...usual, iss }),
      { ...noRules, issuer: 'app' },
    ]),
  ];
  let refused = 0;
  for (const [token, rules] of hostile) {
    const accepted = await acceptedByJose(token, rules);
    if (accepted === null) refused++;
    const claims = read(token, rules);
    if (claims !== null) expect(claims, token).toEqual(accepted);
  }
  expect(refused).toBeGreaterThan(80);
});

test('whatever a signer with the secret writes as claims, the reader accepts nothing that jose refuses', async () => {
  const time = fc.oneof(
    fc.integer({ min: nowSeconds - 20, max: nowSeconds + 20 }),
    fc.double({ min: nowSeconds - 20, max: nowSeconds + 20, noNaN: true }),
    fc.jsonValue(),
  );
  const claims = fc.record(
    { sub: fc.jsonValue(), exp: time, nbf: time, iat: time, aud: fc.jsonValue(), iss: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const rules = fc.constantFrom(
    noRules,
    { audience: 'keys', issuer: null },
    { audience: null, issuer: 'app' },
  );
  await fc.assert(
    fc.asyncProperty(claims, rules, async (made, chosen) => {
      const token = signToken(secret, made);
      const seen = read(token, chosen);
      if (seen !== null) expect(seen).toEqual(await acceptedByJose(token, chosen));
    }),
    { numRuns: 300 },
  );
});
