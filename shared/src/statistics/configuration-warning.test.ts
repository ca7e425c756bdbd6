import { expect, it } from 'vitest';
import { readSingleNodeConfig, Secret } from '../config/index.ts';
import { judgeConfiguration } from './configuration-warning.ts';

const needed = { MASTER_KEY_HEX: 'a'.repeat(64), SALT_HEX: 'b'.repeat(64), AUTH_JWT_SECRET: 'c'.repeat(40) };
const codes = (env: Record<string, string>) =>
  judgeConfiguration(readSingleNodeConfig({ ...needed, ...env }).values).map(({ code }) => code);

it('a carefully configured server has no configuration warning', () => {
  expect(codes({ RATE_LIMIT: 'on', VIEWER_TOKEN_FROM: 'header', TRUST_PROXY: '1' })).toEqual([]);
});

it.each([
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY_ALL'],
  [{ CORS_ORIGINS: '*' }, 'CORS_ANY_ORIGIN'],
  [{ ALLOW_ANONYMOUS_VIEWERS: 'true', AUTH_JWT_SECRET: '' }, 'ANONYMOUS_VIEWERS'],
  [{ LEASE_MODE: 'off' }, 'LEASES_OFF'],
  [{ VIEWER_TOKEN_FROM: 'header,query' }, 'TOKENS_IN_URLS'],
  [{ RATE_LIMIT: 'off' }, 'RATE_LIMIT_OFF'],
])('%o is warned of', (env, code) => expect(codes(env)).toContain(code));

it('anonymous viewers are not warned of where tokens are configured', () => {
  expect(codes({ ALLOW_ANONYMOUS_VIEWERS: 'true' })).not.toContain('ANONYMOUS_VIEWERS');
});

it('each secret that is accepted in addition to the present one gets a warning with its variable and its runbook', () => {
  const previous = new Secret<readonly string[]>(['an-old-secret-of-a-test']);
  const values = {
    adminApiKeyPrevious: previous,
    authJwtSecretPrevious: previous,
    internalSecretPrevious: previous,
  };
  const warnings = judgeConfiguration(values);
  expect(warnings.map(({ code, documentation }) => [code, documentation])).toEqual([
    ['ADMIN_API_KEY_PREVIOUS_SET', 'docs/operate/rotation.md#steps'],
    ['AUTH_JWT_SECRET_PREVIOUS_SET', 'docs/operate/rotation.md#steps'],
    ['INTERNAL_SECRET_PREVIOUS_SET', 'docs/operate/rotation.md#steps'],
  ]);
  expect(JSON.stringify(warnings)).not.toContain('an-old-secret');
});
