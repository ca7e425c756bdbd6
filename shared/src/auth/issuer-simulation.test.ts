import { createHmac } from 'node:crypto';
import { createRandom } from '@latchkey/support/random';
import { type IssuerKey, makeIssuerKey } from '@latchkey/support/tokens';
import { expect, test } from 'vitest';
import { readConfig, viewerTokenVariables } from '../config/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { hashCredential } from './api-key.ts';
import { createIssuers } from './create-tokens.ts';
import { createKeySet } from './key-set.ts';
import { createTokenVerifier } from './token-verifier.ts';

const seed = Number(process.env.SIMULATION_SEED ?? 20_260_101);
/** Tokens, each verified twice. `SIMULATION_RUNS=1000000` is the long form. */
const cases = Number(process.env.SIMULATION_RUNS ?? 20_000);

const secrets = { own: 'o'.repeat(32), acme: 'a'.repeat(32), stranger: 's'.repeat(32) } as const;
/** Small, so that remembered tokens are evicted and verified anew. */
const rememberedBytes = 40_000;
const clock = createManualClock();
const now = clock.now() / 1_000;

interface Entry {
  name: string;
  issuer: string;
  viewerPrefix?: string;
  contents?: string[];
}
const entries: (Entry & { secret?: string; jwksUrl?: string })[] = [
  { name: 'own', issuer: 'https://own.example/', secret: secrets.own },
  {
    name: 'acme',
    issuer: 'https://acme.example',
    secret: secrets.acme,
    viewerPrefix: 'acme:',
    contents: ['acme-*', 'shared'],
  },
  {
    name: 'globex',
    issuer: 'https://globex.example',
    jwksUrl: 'https://globex.example/jwks',
    viewerPrefix: 'acme:eu:',
    contents: ['globex-1'],
  },
];
const universe = ['acme-1', 'acme-', 'acme', 'globex-1', 'globex-12', 'own-1', 'shared', 'shared-2'];

type Random = (below: number) => number;
const pick = <T>(random: Random, from: readonly T[]) => from[random(from.length)] as T;

const issuers = [
  ...entries.map(({ issuer }) => issuer),
  ...['https://own.example', 'https://ACME.example', 'https://acme.example/', '', ' ', 'default', 'acme'],
  ...[undefined, null, 7, ['https://acme.example'], { iss: 'https://acme.example' }],
];
const subjects = [
  ...['bob', 'acme:bob', 'acme:eu:bob', 'eu:bob', 'acme', 'acme:', 'ACME:bob', ':bob', ' acme:bob'],
  ...['', undefined, 7, ['bob']],
];
const claims = [
  ...[undefined, '*', ['*'], ['acme-1', '*'], [], '', universe, universe.join(' '), ['acme-*'], 'globex-*'],
  ...[['own-1'], ['shared', 'globex-1'], 'acme-1 own-1', ['acme-1 own-1'], null, 7, ['acme-1', 7]],
];

interface Made {
  token: string;
  /** The entry that the token is really of: it names it, and its key signed exactly this text. Null if there is none. */
  entry: Entry | null;
  sub: unknown;
  claim: unknown;
}

function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

async function makeToken(random: Random, globex: IssuerKey): Promise<Made> {
  const signer = pick(random, [
    'own',
    'own',
    'acme',
    'acme',
    'stranger',
    ...(random(8) === 0 ? ['globex'] : []),
  ]);
  const usual = entries.find(({ name }) => name === signer)?.issuer;
  const iss = random(3) === 0 ? pick(random, issuers) : usual;
  // Every reader takes the last value of a member that is written twice.
  const earlier = signer !== 'globex' && random(10) === 0 ? pick(random, issuers) : undefined;
  const effective = iss === undefined ? earlier : iss;
  const [sub, claim] = [pick(random, subjects), pick(random, claims)];
  const payload = { iat: now - 60, exp: now + 600, sub, content_ids: claim, jti: random(1_000_000), iss };
  const entry = entries.find(({ name, issuer }) => name === signer && issuer === effective) ?? null;
  if (signer === 'globex') {
    // The subject is an argument, which has to be a text.
    const text = typeof sub === 'string' ? sub : 'bob';
    return { token: await globex.sign(text, payload), entry, sub: text, claim };
  }
  const key = secrets[signer as keyof typeof secrets];
  const beginning = earlier === undefined ? '{' : `{"iss":${JSON.stringify(earlier)},`;
  const text = beginning + JSON.stringify(payload).slice(1);
  const alg = random(20) === 0 ? pick(random, ['none', 'ES256', 'HS512', 'hs256']) : 'HS256';
  const signed = `${encode({ alg, typ: 'JWT', ...(random(10) === 0 && { cty: 'x' }) })}.${encode(text)}`;
  const token = `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  return { token, entry: alg === 'HS256' ? entry : null, sub, claim };
}

/** Alters a token, or joins parts of two: nobody has signed the result. */
function tamper(random: Random, token: string, other: string): string {
  const [head, body, signature] = token.split('.');
  const [otherHead, otherBody] = other.split('.');
  const at = random(token.length);
  return pick(random, [
    `${head}.${otherBody}.${signature}`,
    `${otherHead}.${body}.${signature}`,
    `${head}.${body}.`,
    token.slice(0, at) + pick(random, ['A', '_', '.', '=']) + token.slice(at + 1),
  ]);
}

/** The last character of base64url has bits without a meaning, so a signature has several texts (RFC 4648 section 3.5). */
function withSameSignature(token: string): string {
  const [head, body, signature = '', ...more] = token.split('.');
  const bytes = /^[\w-]+$/.test(signature) ? Buffer.from(signature, 'base64url').toString('hex') : signature;
  return [head, body, bytes, ...more].join('.');
}

/** The outcome by the rules of the documents, worked out apart from the code: null is a refusal. */
function expectedOf({ entry, sub, claim }: Made): { id: string; opens: string[] } | null {
  if (!entry || typeof sub !== 'string' || sub === '') return null;
  const id = (entry.viewerPrefix ?? '') + sub;
  const isOfAnother = entries.some(
    ({ viewerPrefix = '' }) =>
      viewerPrefix.length > (entry.viewerPrefix ?? '').length && id.startsWith(viewerPrefix),
  );
  if (isOfAnother) return null;
  const ids = typeof claim === 'string' ? claim.split(' ') : claim;
  if (ids !== undefined && (!Array.isArray(ids) || ids.some((each) => typeof each !== 'string'))) return null;
  const claimed =
    ids === undefined || ids.includes('*') ? universe : universe.filter((each) => ids.includes(each));
  const { contents } = entry;
  const canOpen = (content: string) =>
    contents?.some(
      (each) => content === each || (each.endsWith('*') && content.startsWith(each.slice(0, -1))),
    ) ?? true;
  return { id, opens: claimed.filter(canOpen) };
}

test(`of ${cases} random tokens against three issuers, each is refused or is a viewer of the issuer that signed it, and opens no content beyond the contents of that issuer`, async () => {
  const random = createRandom(seed);
  const globex = await makeIssuerKey('ES256', 'k');
  const { values } = readConfig(viewerTokenVariables, { AUTH_ISSUERS: JSON.stringify(entries) });
  const keySet = createKeySet({
    fetchJson: async () => ({ keys: [globex.jwk] }),
    clock,
    onFault: () => {},
    onUnusableKeys: () => {},
  });
  await keySet.keepFresh();
  const [first, ...others] = createIssuers(values, () => keySet);
  if (!first) throw new Error('no issuer');
  const verifier = createTokenVerifier({ issuers: [first, ...others], clock, maxBytes: rememberedBytes });
  const outcomeOf = async (token: string) => {
    try {
      const viewer = await verifier.verify(token, hashCredential(token));
      if (viewer.kind !== 'viewer') throw new Error('no viewer');
      return { id: viewer.id, opens: universe.filter((id) => viewer.contents?.has(id) ?? true) };
    } catch (error) {
      // An altered `kid` may name a key that is published later.
      expect(error).toMatchObject({
        code: expect.stringMatching(/^(INVALID_TOKEN|DEPENDENCY_UNAVAILABLE)$/),
      });
      return null;
    }
  };
  let accepted = 0;
  let before = await makeToken(random, globex);
  for (let i = 0; i < cases; i++) {
    const made = await makeToken(random, globex);
    const isTampered = random(4) === 0;
    const token = isTampered ? tamper(random, made.token, before.token) : made.token;
    // Joined parts may be one of the two tokens again.
    const original = [made, before].find(
      (each) => withSameSignature(each.token) === withSameSignature(token),
    );
    const expected = original ? expectedOf(original) : null;
    if (expected) accepted++;
    for (let time = 0; time < 2; time++)
      expect(await outcomeOf(token), `seed ${seed}, ${i}: ${token}`).toEqual(expected);
    // One from before may be remembered still.
    if (random(2) === 0) expect(await outcomeOf(before.token)).toEqual(expectedOf(before));
    before = made;
  }
  expect(accepted / cases).toBeGreaterThan(0.1);
}, 1_200_000);
