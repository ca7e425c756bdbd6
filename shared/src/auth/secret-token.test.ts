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

/** The claims of a token that jose accepts with the options of the verifier; null if jose refuses it. */
async function acceptedByJose(token: string): Promise<object | null> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      clockTolerance: tolerance,
      currentDate: new Date(nowSeconds * 1_000 + 700),
      requiredClaims: ['exp'],
    });
    return payload;
  } catch {
    return null;
  }
}

const read = (token: string) =>
  createSecretTokenReader(secret, { clockToleranceSeconds: tolerance })(token, nowSeconds * 1_000 + 700);

/** Signs any text as header and claims, JSON or not. */
function signText(header: string, claims: string): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const plainHeader = '{"alg":"HS256","typ":"JWT"}';

test('tokens as applications sign them are read at once, with the claims that jose reads', async () => {
  for (const [claims, header] of [
    [usual, {}],
    [{ ...usual, content_ids: ['a', 'b'], scope: 'upload', nbf: nowSeconds, jti: 'ä' }, { kid: 'one' }],
    [{ ...usual, aud: ['x', 'keys'], iss: 'app' }, { typ: undefined }],
  ] as const) {
    const token = signToken(secret, claims, header);
    expect(read(token)).toEqual(claims);
    expect(await acceptedByJose(token)).toEqual(claims);
  }
});

test('no token that jose refuses is read: hostile headers, signatures, encodings and times', async () => {
  const valid = signToken(secret, usual);
  const [head = '', claims = '', signature = ''] = valid.split('.');
  const last = signature.slice(-1);
  const hostile = [
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
    ],
    ...[-tolerance - 1, -tolerance, -tolerance + 1, 0].map((offset) =>
      signToken(secret, { ...usual, exp: nowSeconds + offset }),
    ),
    ...[tolerance, tolerance + 0.5, tolerance + 1].map((offset) =>
      signToken(secret, { ...usual, nbf: nowSeconds + offset }),
    ),
  ];
  let refused = 0;
  for (const token of hostile) {
    const accepted = await acceptedByJose(token);
    if (accepted === null) refused++;
    const claims = read(token);
    if (claims !== null) expect(claims, token).toEqual(accepted);
  }
  expect(refused).toBeGreaterThan(70);
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
  await fc.assert(
    fc.asyncProperty(claims, async (made) => {
      const token = signToken(secret, made);
      const seen = read(token);
      if (seen !== null) expect(seen).toEqual(await acceptedByJose(token));
    }),
    { numRuns: 300 },
  );
});
