import { type IssuerKey, makeIssuerKey, signToken } from '@latchkey/support/tokens';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSystemClock } from '../clock/clock.ts';
import { hashCredential } from './api-key.ts';
import { createKeySet } from './key-set.ts';
import { createTokenVerifier, type TokenRules } from './token-verifier.ts';
import { usualIssuer } from './usual-rules.fixture.ts';

const secret = Buffer.from('0123456789abcdef0123456789abcdef');
const accepted = [secret] as const;
const clock = createSystemClock();
let issuer: IssuerKey;

beforeAll(async () => {
  issuer = await makeIssuerKey('ES256', 'k');
});

type Claims = Record<string, unknown>;

/** A token of the usual form, one that only jose reads (its header has another member), and one of a key set. */
async function tokensWith(claims: Claims): Promise<string[]> {
  const iat = Math.floor(clock.now() / 1_000);
  const all = { sub: 'alice', iat, exp: iat + 600, ...claims };
  return [
    signToken(secret, all),
    signToken(secret, all, { cty: 'x' }),
    await issuer.sign(all.sub as string, all),
  ];
}

function verifierOf(rules: Partial<TokenRules>) {
  const keySet = createKeySet({
    fetchJson: async () => ({ keys: [issuer.jwk] }),
    clock,
    onFault: () => {},
    onUnusableKeys: () => {},
  });
  return createTokenVerifier({
    issuers: usualIssuer({ secrets: accepted, keySet }, rules),
    clock,
  });
}

/** The outcome of a token. It must be the same for every signature and for every code path that reads the token. */
async function outcomeOf(rules: Partial<TokenRules>, claims: Claims): Promise<string> {
  const verifier = verifierOf(rules);
  const outcomes = new Set<string>();
  for (const token of await tokensWith(claims)) {
    // The second time the token is remembered.
    for (let time = 0; time < 2; time++) {
      try {
        const viewer = await verifier.verify(token, hashCredential(token));
        if (viewer.kind !== 'viewer') throw new Error('no viewer');
        const opened = ['film', 'other', 'third'].filter((id) => viewer.contents?.has(id) ?? true);
        outcomes.add(`${viewer.id} opens ${opened.join(' and ') || 'nothing'}`);
      } catch (error) {
        outcomes.add((error as Error).message.replace('The token is not accepted. ', ''));
      }
    }
  }
  expect([...outcomes]).toHaveLength(1);
  return [...outcomes].join();
}

const everything = 'film and other and third';

describe('the content claim', () => {
  test.each<[string, unknown, string]>([
    ['is one id', 'other', 'other'],
    ['is several ids with spaces between them', ' film  third ', 'film and third'],
    ['is a star among ids', 'film *', everything],
    ['has commas, which separate nothing', 'film,other', 'nothing'],
    ['is a list of texts with spaces, which are not ids', ['film other'], 'nothing'],
  ])('if the content claim %s, the token opens the contents that it names', async (_what, claim, opened) => {
    for (const contentClaimRequired of [true, false]) {
      expect(await outcomeOf({ contentClaimRequired }, { content_ids: claim })).toBe(`alice opens ${opened}`);
      const nested = { contentClaim: '/app_metadata/content_ids', contentClaimRequired };
      const claims = { app_metadata: { content_ids: claim }, content_ids: '*' };
      expect(await outcomeOf(nested, claims)).toBe(`alice opens ${opened}`);
    }
  });

  test.each<[string, Claims]>([
    ['is missing', {}],
    ['is within a claim that is missing', { app_metadata: undefined }],
    ['is within a claim that is null', { app_metadata: null }],
    ['is within a text', { app_metadata: 'content_ids' }],
    ['is within a list', { app_metadata: ['content_ids'] }],
    ['has the pointer as its name', { '/app_metadata/content_ids': '*' }],
  ])('if the content claim is required and %s, the token opens nothing', async (_what, claims) => {
    const contentClaim = '/app_metadata/content_ids';
    expect(await outcomeOf({ contentClaim, contentClaimRequired: true }, claims)).toBe('alice opens nothing');
    expect(await outcomeOf({ contentClaim, contentClaimRequired: false }, claims)).toBe(
      `alice opens ${everything}`,
    );
  });

  test('what tokens inherit as objects is no claim: it is missing', async () => {
    for (const contentClaim of ['constructor', '/constructor', '/__proto__/x', '/content_ids/length'])
      expect(await outcomeOf({ contentClaim, contentClaimRequired: true }, { content_ids: ['film'] })).toBe(
        'alice opens nothing',
      );
  });

  test.each([null, 7, {}, true, ['a', 7], [['a']]])('of another form (%j) is refused', async (claim) => {
    for (const contentClaimRequired of [true, false])
      expect(await outcomeOf({ contentClaimRequired }, { content_ids: claim })).toBe(
        'Its claim content_ids has to be a text or a list of texts.',
      );
  });
});

describe('the viewer claim', () => {
  test.each<[string, string, Claims]>([
    ['a name', 'email', { email: 'bob@example.com' }],
    ['a URL', 'https://example.com/id', { 'https://example.com/id': 'bob@example.com' }],
    ['a pointer', '/user/ids/0', { user: { ids: ['bob@example.com'] } }],
  ])('can be %s, and the token needs no sub then', async (_what, viewerClaim, claims) => {
    for (const sub of ['alice', undefined, 7])
      expect(await outcomeOf({ viewerClaim }, { ...claims, sub })).toBe(
        `bob@example.com opens ${everything}`,
      );
  });

  test.each(['sub', 'email', '/user/id'])('a missing %s is called missing', async (viewerClaim) => {
    expect(await outcomeOf({ viewerClaim }, { sub: undefined })).toBe(
      `Its claim ${viewerClaim} is missing: the id of the viewer.`,
    );
  });

  test.each([7, null, '', ['a'], { a: 1 }, true])(
    'a viewer id that is %j is refused, and the answer states the accepted form',
    async (id) => {
      expect(await outcomeOf({ viewerClaim: '/user/id' }, { user: { id } })).toBe(
        'Its claim /user/id has to be a text that is not empty.',
      );
    },
  );
});

test('a missing exp or iat is called missing', async () => {
  expect(await outcomeOf({}, { iat: undefined })).toContain('Its claim iat is missing: ');
  expect(await outcomeOf({}, { exp: undefined })).toBe('Its claim exp is missing.');
});

test('a missing aud or iss is called missing, and a wrong one not accepted', async () => {
  const audiences = ['keys'];
  const issuers = ['app'];
  expect(await outcomeOf({ audiences }, {})).toBe('Its claim aud is missing.');
  expect(await outcomeOf({ issuers }, {})).toBe('Its claim iss is missing.');
  for (const wrong of ['x', '', 'keys app', ['x'], [], 7, null, { keys: 'app' }]) {
    expect(await outcomeOf({ audiences }, { aud: wrong })).toBe('Its claim aud is not accepted.');
    expect(await outcomeOf({ issuers }, { iss: wrong })).toBe('Its claim iss is not accepted.');
  }
  expect(await outcomeOf({ issuers }, { iss: ['app'] })).toBe('Its claim iss is not accepted.');
});

test('of several audiences and issuers one has to match', async () => {
  const rules = { audiences: ['web', 'ios'], issuers: ['https://a.example', 'https://b.example/'] };
  for (const aud of ['web', 'ios', ['x', 'ios'], ['web', 7]])
    for (const iss of rules.issuers)
      expect(await outcomeOf(rules, { aud, iss })).toBe(`alice opens ${everything}`);
  // Issuers are compared as texts (RFC 7519 section 4.1.1): a slash at the end makes another one.
  expect(await outcomeOf(rules, { aud: 'web', iss: 'https://b.example' })).toBe(
    'Its claim iss is not accepted.',
  );
});

test.each<[string, Claims]>([
  ['client_id', { client_id: 'web' }],
  ['azp', { azp: 'web' }],
  ['/app/audience', { app: { audience: ['web'] } }],
])('the claim %s can hold the audience, and aud is not read then', async (audienceClaim, claims) => {
  const rules = { audiences: ['web', 'ios'], audienceClaim };
  expect(await outcomeOf(rules, { ...claims, aud: 'other' })).toBe(`alice opens ${everything}`);
  expect(await outcomeOf(rules, { aud: 'web' })).toBe(`Its claim ${audienceClaim} is missing.`);
  expect(await outcomeOf({ ...rules, audiences: ['ios'] }, claims)).toBe(
    `Its claim ${audienceClaim} is not accepted.`,
  );
});
