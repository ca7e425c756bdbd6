import { type IssuerKey, makeIssuerKey, signToken } from '@latchkey/support/tokens';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readConfig, viewerTokenVariables } from '../config/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { hashCredential } from './api-key.ts';
import { createTokens } from './create-tokens.ts';

const clock = createManualClock();
const now = clock.now() / 1_000;
const shared = 'a secret of tests, longer than 32 bytes';
let key: IssuerKey;
let otherKey: IssuerKey;

beforeAll(async () => {
  // Two providers may choose the same `kid`.
  [key, otherKey] = await Promise.all([makeIssuerKey('ES256', 'k'), makeIssuerKey('ES256', 'k')]);
});
afterEach(() => void vi.unstubAllGlobals());

const issuers = [
  {
    name: 'acme',
    issuer: 'https://acme.example',
    jwksUrl: 'https://acme.example/jwks',
    viewerPrefix: 'acme:',
  },
  {
    name: 'globex',
    issuer: 'https://globex.example',
    jwksUrl: 'https://globex.example/jwks',
    viewerPrefix: 'globex:',
  },
  { name: 'own', issuer: 'https://own.example', secret: shared },
];
const ofAcme = { iss: 'https://acme.example', iat: now - 60, exp: now + 7_200 };
const ofGlobex = { ...ofAcme, iss: 'https://globex.example' };

/** @param answers the body of each address; one that is missing is out of reach */
function open(answers: Record<string, unknown>, env = { AUTH_ISSUERS: JSON.stringify(issuers) }) {
  vi.stubGlobal('fetch', async (url: string) => {
    if (!(url in answers)) throw new Error(`${url} is out of reach`);
    return Response.json(answers[url]);
  });
  const faults: string[] = [];
  const ends: (() => unknown)[] = [];
  const tokens = createTokens(readConfig(viewerTokenVariables, env).values, {
    clock,
    onFault: ({ name }, error) => void faults.push(`${name}: ${error}`),
    onUnusableKeys: ({ name }, keys) => void faults.push(`${name}: ${keys}`),
    shutdown: { add: (_name, _limitMs, end) => void ends.push(end) },
  });
  if (!tokens) throw new Error('no tokens');
  const outcomeOf = async (token: string) => {
    try {
      return (await tokens.verify(token, hashCredential(token))).id;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return { tokens, outcomeOf, faults, end: () => Promise.all(ends.map((each) => each())) };
}

const publish = (...of: IssuerKey[]) => ({ keys: of.map(({ jwk }) => jwk) });
const refusal = (reason: string) => `The token is not accepted. ${reason}`;

test('an issuer whose key set is out of reach does not stop the others, and the fault names it', async () => {
  const { tokens, outcomeOf, faults, end } = open({ 'https://acme.example/jwks': publish(key) });
  expect(await outcomeOf(await key.sign('bob', ofAcme))).toBe('acme:bob');
  expect(await outcomeOf(signToken(shared, { ...ofAcme, iss: 'https://own.example', sub: 'bob' }))).toBe(
    'bob',
  );
  expect(await outcomeOf(await otherKey.sign('bob', ofGlobex))).toMatch('out of reach');
  expect(tokens.keySets.map(({ issuer, state }) => [issuer, state()])).toEqual([
    ['acme', 'good'],
    ['globex', 'lost'],
  ]);
  expect(new Set(faults)).toEqual(new Set(['globex: Error: https://globex.example/jwks is out of reach']));
  await end();
});

test('a key of one issuer accepts no token that names another one, also where both have the same kid', async () => {
  const answers = {
    'https://acme.example/jwks': publish(key),
    'https://globex.example/jwks': publish(otherKey),
  };
  const { outcomeOf, end } = open(answers);
  expect(await outcomeOf(await key.sign('bob', ofGlobex))).toBe(refusal('Its signature is wrong.'));
  expect(await outcomeOf(await otherKey.sign('bob', ofGlobex))).toBe('globex:bob');
  expect(await outcomeOf(await key.sign('bob', ofAcme))).toBe('acme:bob');
  // The secret of one issuer, too.
  expect(await outcomeOf(signToken(shared, { ...ofAcme, sub: 'bob' }))).toBe(
    refusal('Its algorithm is not allowed.'),
  );
  await end();
});

test('a token without an issuer, or of an unknown one, is refused, and no key set is asked for', async () => {
  const { outcomeOf, end } = open({});
  expect(await outcomeOf(signToken(shared, { ...ofAcme, iss: undefined, sub: 'bob' }))).toBe(
    refusal('Its claim iss is missing.'),
  );
  for (const iss of ['https://own.example/', '', null, 7, ['https://own.example']])
    expect(await outcomeOf(signToken(shared, { ...ofAcme, iss, sub: 'bob' }))).toBe(
      refusal('Its claim iss is not accepted.'),
    );
  expect(await outcomeOf('ey.a.b')).toBe(refusal('It is malformed.'));
  await end();
});

test('the id of a viewer and its prefix have 1024 bytes at most, and together are no credential', async () => {
  const entry = { name: 'a', issuer: 'a', secret: shared, viewerPrefix: 'lk_0123456789abcdef' };
  const { outcomeOf, end } = open({}, { AUTH_ISSUERS: JSON.stringify([entry]) });
  const sign = (sub: string) => signToken(shared, { ...ofAcme, iss: 'a', sub });
  expect(await outcomeOf(sign(`-${'x'.repeat(1_004)}`))).toMatch(/^lk_0123456789abcdef-x+$/);
  expect(await outcomeOf(sign(`-${'x'.repeat(1_005)}`))).toBe(
    refusal('Its claim sub is not usable as an id.'),
  );
  expect(await outcomeOf(sign('0123456789abcdef'.repeat(3)))).toMatch('is an API key or a token');
  await end();
});
