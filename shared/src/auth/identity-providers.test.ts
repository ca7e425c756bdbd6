import { readFileSync } from 'node:fs';
import { type IssuerKey, makeIssuerKey } from '@latchkey/support/tokens';
import type { JWK } from 'jose';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readConfig, viewerTokenVariables } from '../config/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { hashCredential } from './api-key.ts';
import { createTokens } from './create-tokens.ts';

const document = readFileSync(new URL('../../../docs/start/identity-providers.md', import.meta.url), 'utf8');
const clock = createManualClock();
const now = clock.now() / 1_000;
const contents = ['film-1', 'film-2', 'film-3'];
/** Texts in the form of certificates and thumbprints. They are not read. */
const certificate = {
  x5c: ['MIIDDTCCAfWgAwIBAgIJ'],
  x5t: 'NjVBRjY5MDlCMUIwNzU4RTA2QzZFMDQ4QzQ2MDAyQjVDNjk1RTM2Qg',
};

let rsa: IssuerKey;
let ec: IssuerKey;
let other: IssuerKey;
beforeAll(async () => {
  [rsa, ec, other] = await Promise.all([
    makeIssuerKey('RS256', 'key-1'),
    makeIssuerKey('ES256', 'key-1'),
    makeIssuerKey('RS256', 'key-2'),
  ]);
});
afterEach(() => void vi.unstubAllGlobals());

/** The settings in the table below a heading of the document. */
function settingsOf(provider: string): Record<string, string> {
  const section = document.split(`\n## ${provider}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `([A-Z_]+)` \| `([^`]+)` \|$/gm)];
  return Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value]));
}

interface Provider {
  name: string;
  keys: () => JWK[];
  signer: () => IssuerKey;
  header?: object;
  /** Apart from `iss`, `sub`, `iat` and `exp`. */
  claims: Record<string, unknown>;
  /** Where the claim with the contents is, for a token without it. */
  contentClaim: string;
  sub: string;
  viewer?: string;
  opens: string[];
  /** A token for another application. */
  foreign: Record<string, unknown>;
}

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e';
const providers: Provider[] = [
  {
    name: 'Auth0',
    keys: () => [
      { ...rsa.jwk, ...certificate },
      { ...other.jwk, ...certificate },
    ],
    signer: () => rsa,
    header: { typ: 'JWT' },
    sub: 'auth0|507f1f77bcf86cd799439011',
    claims: {
      aud: ['https://keys.example.com', 'https://example.eu.auth0.com/userinfo'],
      azp: 'my_client_id',
      scope: 'openid profile',
      'https://example.com/content_ids': ['film-1', 'film-2'],
    },
    contentClaim: 'https://example.com/content_ids',
    opens: ['film-1', 'film-2'],
    foreign: { aud: ['https://billing.example.com', 'https://example.eu.auth0.com/userinfo'] },
  },
  {
    name: 'Cognito, access token',
    keys: () => [other.jwk, rsa.jwk],
    signer: () => rsa,
    sub: uuid,
    claims: {
      'cognito:groups': ['film-1', 'staff'],
      client_id: '2example23456789',
      origin_jti: uuid,
      token_use: 'access',
      scope: 'openid',
      auth_time: now - 60,
      jti: uuid,
      username: 'bob',
    },
    contentClaim: 'cognito:groups',
    opens: ['film-1'],
    foreign: { client_id: '3example23456789' },
  },
  {
    name: 'Cognito, id token',
    keys: () => [other.jwk, rsa.jwk],
    signer: () => rsa,
    sub: uuid,
    claims: {
      aud: '1example23456789',
      token_use: 'id',
      'cognito:username': 'bob',
      email: 'bob@example.com',
      'custom:content_ids': 'film-2 film-3',
      auth_time: now - 60,
    },
    contentClaim: 'custom:content_ids',
    opens: ['film-2', 'film-3'],
    // An access token has no `aud`.
    foreign: { aud: undefined, client_id: '1example23456789', token_use: 'access' },
  },
  {
    name: 'Keycloak',
    keys: () => [
      { ...other.jwk, alg: 'RSA-OAEP', use: 'enc', ...certificate },
      { ...rsa.jwk, ...certificate },
    ],
    signer: () => rsa,
    header: { typ: 'JWT' },
    sub: uuid,
    claims: {
      aud: 'account',
      azp: 'player',
      typ: 'Bearer',
      sid: uuid,
      acr: '1',
      'allowed-origins': ['https://example.com'],
      realm_access: { roles: ['offline_access', 'uma_authorization'] },
      resource_access: { films: { roles: ['film-3'] }, account: { roles: ['manage-account'] } },
      scope: 'openid email profile',
    },
    contentClaim: 'resource_access',
    opens: ['film-3'],
    foreign: { azp: 'shop' },
  },
  {
    name: 'Firebase',
    keys: () => [{ ...other.jwk }, { ...rsa.jwk }],
    signer: () => rsa,
    header: { typ: 'JWT' },
    sub: 'tLQxJ8vXn0aZ3mC5bK7dE9fG1hI2',
    claims: {
      aud: 'example-project',
      auth_time: now - 60,
      user_id: 'tLQxJ8vXn0aZ3mC5bK7dE9fG1hI2',
      firebase: { identities: { email: ['bob@example.com'] }, sign_in_provider: 'password' },
      content_ids: ['film-1'],
    },
    contentClaim: 'content_ids',
    opens: ['film-1'],
    foreign: { aud: 'other-project', iss: 'https://securetoken.google.com/other-project' },
  },
  {
    name: 'Supabase',
    keys: () => [{ ...ec.jwk, key_ops: ['verify'], ext: true }],
    signer: () => ec,
    header: { typ: 'JWT' },
    sub: uuid,
    claims: {
      aud: 'authenticated',
      role: 'authenticated',
      aal: 'aal1',
      session_id: uuid,
      email: 'bob@example.com',
      app_metadata: { provider: 'email', providers: ['email'], content_ids: ['film-2'] },
      user_metadata: { content_ids: ['film-1', 'film-2', 'film-3'] },
      is_anonymous: false,
    },
    contentClaim: 'app_metadata',
    opens: ['film-2'],
    foreign: { aud: 'other' },
  },
  {
    name: 'Clerk',
    keys: () => [rsa.jwk],
    signer: () => rsa,
    header: { typ: 'JWT', cat: 'cl_B7d4PD111AAA' },
    sub: 'user_2NNEqL2nrIRdJ194ndJqAHwEfxC',
    claims: {
      azp: 'https://www.example.com',
      fva: [0, -1],
      nbf: now - 70,
      exp: now + 60,
      sid: 'sess_2NNEqL2nrIRdJ194ndJqAHwEfxC',
      sts: 'active',
      v: 2,
      content_ids: ['film-1', 'film-3'],
    },
    contentClaim: 'content_ids',
    opens: ['film-1', 'film-3'],
    foreign: { azp: 'https://evil.example' },
  },
  {
    name: 'Entra ID',
    // Without `alg`.
    keys: () =>
      [other.jwk, rsa.jwk].map(({ alg: _alg, ...jwk }) => ({
        ...jwk,
        ...certificate,
        issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
      })),
    signer: () => rsa,
    header: { typ: 'JWT' },
    sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    viewer: uuid,
    claims: {
      aud: '66666666-7777-8888-9999-000000000000',
      nbf: now - 60,
      azp: uuid,
      azpacr: '0',
      oid: uuid,
      tid: '11111111-2222-3333-4444-555555555555',
      scp: 'play',
      roles: ['film-1', 'film-2'],
      ver: '2.0',
      uti: 'AbCdEf',
    },
    contentClaim: 'roles',
    opens: ['film-1', 'film-2'],
    foreign: { aud: '00000003-0000-0000-c000-000000000000' },
  },
  {
    name: 'Zitadel',
    keys: () => [rsa.jwk],
    signer: () => rsa,
    sub: '234567890123456789',
    claims: {
      aud: ['345678901234567890', '123456789012345678'],
      client_id: '345678901234567890',
      nbf: now - 60,
      jti: 'V2_234567890123456789',
      'urn:zitadel:iam:org:project:roles': { viewer: { '456789012345678901': 'example.zitadel.cloud' } },
      content_ids: ['film-2'],
    },
    contentClaim: 'content_ids',
    opens: ['film-2'],
    foreign: { aud: ['345678901234567890'] },
  },
];

async function open(provider: Provider, env: Record<string, string>) {
  const addresses: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    addresses.push(url);
    return Response.json({ keys: provider.keys() });
  });
  const reported: string[] = [];
  const ends: (() => unknown)[] = [];
  const { values, warnings } = readConfig(viewerTokenVariables, env);
  const tokens = createTokens(values, {
    clock,
    onFault: (_issuer, error) => void reported.push(String(error)),
    onUnusableKeys: (_issuer, keys) => void reported.push(keys),
    shutdown: { add: (_name, _limitMs, end) => void ends.push(end) },
  });
  const verify = async (claims: Record<string, unknown> = {}) => {
    const issued = {
      iss: env.AUTH_JWT_ISSUER,
      iat: now - 60,
      exp: now + 3_540,
      ...provider.claims,
      ...claims,
    };
    const token = await provider.signer().sign(provider.sub, issued, { ...provider.header });
    try {
      const viewer = await tokens?.verify(token, hashCredential(token));
      if (viewer?.kind !== 'viewer') throw new Error('no viewer');
      return { viewer: viewer.id, opens: contents.filter((id) => viewer.contents?.has(id) ?? true) };
    } catch (error) {
      return (error as Error).message;
    }
  };
  return { verify, warnings, reported, addresses, end: () => Promise.all(ends.map((each) => each())) };
}

test.each(providers)(
  'with the documented settings a token of $name opens the contents of its claim, and one of another application or without the claim opens none',
  async (provider) => {
    const env = settingsOf(provider.name);
    const { verify, warnings, reported, addresses, end } = await open(provider, env);
    const viewer = provider.viewer ?? provider.sub;
    expect(await verify()).toEqual({ viewer, opens: provider.opens });
    expect(await verify(provider.foreign)).toMatch(
      /^The token is not accepted\. Its claim \w+ is (not accepted|missing)\.$/,
    );
    expect(await verify({ iss: `${env.AUTH_JWT_ISSUER}x` })).toMatch('Its claim iss is not accepted.');
    expect(await verify({ [provider.contentClaim]: undefined })).toEqual({ viewer, opens: [] });
    // Neither the settings nor the keys are reported to the operator.
    expect([warnings, reported]).toEqual([[], []]);
    expect(addresses).toEqual([env.AUTH_JWKS_URL]);
    await end();
  },
);

test('each section of the document with settings is tested', () => {
  const documented = [...document.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(documented).toEqual(providers.map(({ name }) => name));
});
