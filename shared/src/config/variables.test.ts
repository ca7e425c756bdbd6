import { describe, expect, it } from 'vitest';
import { describeVariables, type Environment, internalVariables, singleNodeSettings } from './index.ts';
import { readSingleNodeConfig } from './profiles.ts';

const complete = {
  MASTER_KEY_HEX: '0'.repeat(64),
  SALT_HEX: '1'.repeat(64),
  AUTH_JWT_SECRET: 'x'.repeat(32),
};

describe('warnings', () => {
  const warningsOf = (env: Environment) => readSingleNodeConfig({ ...complete, ...env }).warnings;

  it('the default settings produce no warning', () => expect(warningsOf({})).toEqual([]));

  it.each<[string, Environment]>([
    ['ADMIN_API_KEY has 5 characters', { ADMIN_API_KEY: 'short' }],
    ['SETUP_TOKEN has 5 characters', { SETUP_TOKEN: 'short' }],
    ['AUTH_JWKS_URL is fetched over plain HTTP', { AUTH_JWKS_URL: 'http://id.example/jwks' }],
  ])('%s', (beginning, env) => {
    expect(warningsOf(env)).toEqual([expect.stringMatching(new RegExp(`^${beginning}`))]);
  });

  it.each([
    'http://localhost:9/jwks',
    'http://127.0.0.1/jwks',
    'http://[::1]/jwks',
    'https://id.example/jwks',
  ])('none for a key set at %s', (url) => expect(warningsOf({ AUTH_JWKS_URL: url })).toEqual([]));
});

it('the help names each variable once and no value of the environment', () => {
  const help = describeVariables({ ...singleNodeSettings, ...internalVariables });
  const names = help.match(/^[A-Z][A-Z0-9_]+/gm) ?? [];
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['TRUST_PROXY', 'SALT_HEX', 'INTERNAL_SECRET', 'S3_ENDPOINT']),
  );
});
