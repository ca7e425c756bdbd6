import { describe, expect, it } from 'vitest';
import { describeVariables, type Environment, internalVariables, singleNodeSettings } from './index.ts';
import { readSeparateServiceConfig, readSingleNodeConfig } from './profiles.ts';

const complete = {
  MASTER_KEY_HEX: '0'.repeat(64),
  SALT_HEX: '1'.repeat(64),
  AUTH_JWT_SECRET: 'x'.repeat(32),
};

describe('the defaults are those of the contract', () => {
  const { values, warnings } = readSingleNodeConfig(complete);
  it.each<[keyof typeof values, unknown]>([
    ['port', 4100],
    ['host', '0.0.0.0'],
    ['sqlitePath', 'data/latchkey.db'],
    ['databaseUrl', undefined],
    ['authJwtClockToleranceSeconds', 10],
    ['authJwtMaxAgeSeconds', 86_400],
    ['authJwtContentClaim', undefined],
    ['authJwtContentClaimRequired', undefined],
    ['authJwtViewerClaim', 'sub'],
    ['viewerTokenFrom', ['header']],
    ['allowAnonymousViewers', false],
    ['contentMode', 'registered'],
    ['leaseMode', 'optional'],
    ['leaseTtlSeconds', 300],
    ['leaseMaxTtlSeconds', 3600],
    ['leaseRenewGraceSeconds', 30],
    ['leaseMaxPerViewer', 0],
    ['leaseLimitMode', 'reject'],
    ['corsOrigins', []],
    ['trustProxy', { kind: 'none' }],
    ['rateLimit', 'off'],
    ['enablePresign', false],
    ['metricsHost', '127.0.0.1'],
    ['metricsPort', 9464],
    ['shutdownDrainSeconds', 5],
    ['logLevel', 'info'],
  ])('%s', (name, value) => {
    expect(values[name]).toEqual(value);
  });

  it('the default settings produce no warning', () => expect(warnings).toEqual([]));

  it('services have no cache and no bus by default', () => {
    const { values: separate } = readSeparateServiceConfig({
      INTERNAL_SECRET: 'i'.repeat(32),
      DATABASE_URL: 'postgres://db/x',
    });
    expect([separate.redisUrl, separate.natsUrl]).toEqual([undefined, undefined]);
  });
});

describe('warnings', () => {
  const warningsOf = (env: Environment) => readSingleNodeConfig({ ...complete, ...env }).warnings;

  it.each<[string, Environment]>([
    ['TRUST_PROXY is true', { TRUST_PROXY: 'true' }],
    ['ADMIN_API_KEY has 5 characters', { ADMIN_API_KEY: 'short' }],
    ['SETUP_TOKEN has 5 characters', { SETUP_TOKEN: 'short' }],
    ['AUTH_JWKS_URL is fetched over plain HTTP', { AUTH_JWKS_URL: 'http://id.example/jwks' }],
    ['ALLOW_ANONYMOUS_VIEWERS is true', { ALLOW_ANONYMOUS_VIEWERS: 'true' }],
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
