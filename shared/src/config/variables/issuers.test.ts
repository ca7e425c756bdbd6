import { describe, expect, it, test } from 'vitest';
import { resolveIssuers } from '../index.ts';
import { listFaults } from '../list-faults.fixture.ts';
import { readConfig } from '../read-config.ts';
import { describeSettings } from '../settings.ts';
import type { Environment } from '../source.ts';
import { processVariables } from './process.ts';
import { viewerTokenVariables } from './viewer-tokens.ts';

const variables = { ...processVariables(1), ...viewerTokenVariables };
const read = (env: Environment) => readConfig(variables, env);
const secret = 'c2d3e4f5061728394a5b6c7d8e9fa0b1';
const acme = { name: 'acme', issuer: 'https://acme.example/', jwksUrl: 'https://acme.example/jwks' };
const globex = { name: 'globex', issuer: 'https://globex.example', secret };
const bothOf = (more: object = {}) =>
  JSON.stringify([
    { ...acme, viewerPrefix: 'acme:' },
    { ...globex, viewerPrefix: 'globex:', ...more },
  ]);

const faultsOf = (env: Environment) => listFaults(() => read(env)).map(({ message }) => message);

test('an entry of AUTH_ISSUERS has the defaults of the variables, and a content claim that is named is required', () => {
  const { values, warnings } = read({
    AUTH_ISSUERS: bothOf({
      audience: 'web, ios',
      audienceClaim: 'azp',
      viewerClaim: '/user/id',
      contentClaim: 'films',
      contents: ['film', 'globex-*'],
    }),
  });
  expect(warnings).toEqual([]);
  expect(resolveIssuers(values)).toEqual([
    {
      name: 'acme',
      isEntry: true,
      issuers: ['https://acme.example/'],
      secrets: null,
      jwksUrl: 'https://acme.example/jwks',
      audiences: [],
      audienceClaim: 'aud',
      viewerClaim: 'sub',
      contentClaim: 'content_ids',
      contentClaimRequired: false,
      viewerPrefix: 'acme:',
      contents: null,
    },
    {
      name: 'globex',
      isEntry: true,
      issuers: ['https://globex.example'],
      secrets: [Buffer.from(secret)],
      jwksUrl: null,
      audiences: ['web', 'ios'],
      audienceClaim: 'azp',
      viewerClaim: '/user/id',
      contentClaim: 'films',
      contentClaimRequired: true,
      viewerPrefix: 'globex:',
      contents: ['film', 'globex-*'],
    },
  ]);
});

test('the variables for one issuer are the entry default of the same table', () => {
  const { values } = read({
    AUTH_JWT_SECRET: secret,
    AUTH_JWT_ISSUER: 'a,b',
    AUTH_JWT_CONTENT_CLAIM: 'films',
  });
  expect(resolveIssuers(values)).toEqual([
    {
      name: 'default',
      isEntry: false,
      issuers: ['a', 'b'],
      secrets: [Buffer.from(secret)],
      jwksUrl: null,
      audiences: [],
      audienceClaim: 'aud',
      viewerClaim: 'sub',
      contentClaim: 'films',
      contentClaimRequired: true,
      viewerPrefix: '',
      contents: null,
    },
  ]);
  expect(resolveIssuers(read({ ALLOW_ANONYMOUS_VIEWERS: 'true' }).values)).toEqual([]);
});

describe('AUTH_ISSUERS is refused at the start, with the entry and the member, and without a value', () => {
  it.each<[string, string, ...string[]]>([
    ['no JSON', 'acme', 'is not JSON'],
    ['an object', JSON.stringify(acme), 'is not an array'],
    ['an empty list', '[]', '0 entries'],
    [
      '51 entries',
      JSON.stringify(Array.from({ length: 51 }, (_, i) => ({ ...acme, name: `${i}`, issuer: `i${i}` }))),
      '51 entries',
    ],
    ['a text in the list', '["acme"]', 'entry 1: it is not an object'],
    [
      'the same issuer twice',
      JSON.stringify([acme, { ...globex, issuer: acme.issuer }]),
      'globex: it has the same `issuer` as acme',
    ],
    [
      'the same name twice',
      JSON.stringify([acme, { ...globex, name: 'acme' }]),
      'it has the same `name` as acme',
    ],
    [
      'neither key set nor secret',
      bothOf({ secret: undefined }),
      'entry 2 (globex): it has neither `jwksUrl` nor `secret`',
    ],
    [
      'key set and secret',
      bothOf({ jwksUrl: acme.jwksUrl }),
      'entry 2 (globex): it has both `jwksUrl` and `secret`',
    ],
    [
      'an unknown member',
      bothOf({ secretPrevious: 'topsecret' }),
      'entry 2 (globex): it has a member that is not accepted',
    ],
    ['a short secret', bothOf({ secret: 'topsecret' }), 'entry 2 (globex): `secret`'],
    ['an empty prefix', bothOf({ viewerPrefix: '' }), '`viewerPrefix`'],
    ['a prefix with white space', bothOf({ viewerPrefix: 'a b' }), '`viewerPrefix`'],
    ['a prefix of 65 characters', bothOf({ viewerPrefix: 'a'.repeat(65) }), '`viewerPrefix`'],
    ['no contents', bothOf({ contents: [] }), '`contents` is empty'],
    [
      '1,001 contents',
      bothOf({ contents: Array.from({ length: 1_001 }, (_, i) => `c${i}`) }),
      '`contents` has more than 1000',
    ],
    ['a pattern of another form', bothOf({ contents: ['a*b'] }), '`contents` has an item that is neither'],
    ['contents that are a text', bothOf({ contents: 'acme-*' }), '`contents` is not a list'],
    ['an audience claim alone', bothOf({ audienceClaim: 'azp' }), 'no audience would be checked'],
    ['an empty audience', bothOf({ audience: [] }), '`audience` is empty'],
    [
      'a list of issuers',
      bothOf({ issuer: 'https://a.example,https://b.example' }),
      '`issuer` looks like a list',
    ],
    ['an address that is not one', bothOf({ secret: undefined, jwksUrl: 'acme.example' }), '`jwksUrl`'],
    [
      'a word for a boolean',
      bothOf({ contentClaimRequired: 'yes' }),
      '`contentClaimRequired` is not `true` or `false`',
    ],
    [
      'several faults, all of them',
      bothOf({ secret: 7, name: 'a b', issuer: undefined }),
      'entry 2: `secret` is not a text',
      'entry 2: `name`',
      'entry 2: `issuer` is missing',
    ],
  ])('%s', (_what, value, ...words) => {
    const faults = faultsOf({ AUTH_ISSUERS: value });
    expect(faults).toHaveLength(1);
    for (const word of [...words, 'AUTH_ISSUERS', 'Accepted: a JSON array'])
      expect(faults[0]).toContain(word);
    for (const shown of [secret, 'topsecret', 'acme.example']) expect(faults[0]).not.toContain(shown);
  });

  it.each<[string, string]>([
    ['AUTH_JWT_SECRET', secret],
    ['AUTH_JWT_SECRET_PREVIOUS', secret],
    ['AUTH_JWKS_URL', 'https://a.example'],
    ['AUTH_JWT_AUDIENCE', 'web'],
    ['AUTH_JWT_AUDIENCE_CLAIM', 'azp'],
    ['AUTH_JWT_ISSUER', 'https://a.example'],
    ['AUTH_JWT_VIEWER_CLAIM', 'email'],
    ['AUTH_JWT_CONTENT_CLAIM', 'films'],
    ['AUTH_JWT_CONTENT_CLAIM_REQUIRED', 'false'],
  ])('together with %s', (name, value) => {
    expect(faultsOf({ AUTH_ISSUERS: bothOf(), [name]: value })).toEqual([
      expect.stringContaining(`AUTH_ISSUERS is set together with ${name}.`),
    ]);
  });

  it('with a secret in production that can be guessed', () => {
    expect(faultsOf({ NODE_ENV: 'production', AUTH_ISSUERS: bothOf({ secret: 's'.repeat(40) }) })).toEqual([
      expect.stringContaining('AUTH_ISSUERS has an entry, globex, whose secret (not shown here) repeats'),
    ]);
  });
});

test('variables for one issuer that have their default are accepted together with AUTH_ISSUERS, as ConfigMaps set them', () => {
  const defaults = { AUTH_JWT_AUDIENCE_CLAIM: 'aud', AUTH_JWT_VIEWER_CLAIM: 'sub', AUTH_JWT_SECRET: '' };
  expect(faultsOf({ AUTH_ISSUERS: bothOf(), ...defaults })).toEqual([]);
});

test('no setting that operators see shows what AUTH_ISSUERS holds', () => {
  const shown = JSON.stringify(describeSettings(variables, { AUTH_ISSUERS: bothOf() }));
  expect(shown).toContain('AUTH_ISSUERS');
  expect(shown).not.toContain('acme.example');
});

describe('the start warns', () => {
  it.each<[string, object, string]>([
    [
      'of entries with the same prefix',
      { viewerPrefix: 'acme:' },
      'AUTH_ISSUERS has entries with the same viewerPrefix, acme:: acme, globex.',
    ],
    [
      'of plain HTTP',
      { secret: undefined, jwksUrl: 'http://a.example' },
      'AUTH_ISSUERS (globex): jwksUrl is fetched over plain HTTP',
    ],
    [
      'of a name that looks like a path',
      { contentClaim: 'app.films' },
      'AUTH_ISSUERS (globex): contentClaim is app.films',
    ],
    [
      'of a content claim that is not required',
      { contentClaim: 'films', contentClaimRequired: false },
      'AUTH_ISSUERS (globex): contentClaimRequired is false',
    ],
  ])('%s', (_what, more, warning) => {
    expect(read({ AUTH_ISSUERS: bothOf(more) }).warnings).toEqual([expect.stringContaining(warning)]);
  });

  it('of entries without a prefix, because an id of both is one viewer', () => {
    expect(read({ AUTH_ISSUERS: JSON.stringify([acme, globex]) }).warnings).toEqual([
      expect.stringContaining('AUTH_ISSUERS has entries without a viewerPrefix: acme, globex.'),
    ]);
  });
});
