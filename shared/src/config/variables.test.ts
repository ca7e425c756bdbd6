import { describe, expect, it } from 'vitest';
import {
  apiKeyVariables,
  ConfigError,
  cacheAndBusVariables,
  contentVariables,
  corsRule,
  databaseVariables,
  defaultPorts,
  describeVariables,
  type Environment,
  gatewayVariables,
  internalVariables,
  leaseRule,
  leaseVariables,
  masterKeys,
  observabilityVariables,
  presignRule,
  presignVariables,
  processVariables,
  readConfig,
  serviceUrlVariables,
  viewerTokenRule,
  viewerTokenVariables,
} from './index.ts';

const all = {
  ...processVariables(defaultPorts.gateway),
  ...gatewayVariables,
  ...databaseVariables,
  ...cacheAndBusVariables,
  ...viewerTokenVariables,
  ...leaseVariables,
  ...contentVariables,
  ...presignVariables,
  ...apiKeyVariables,
  ...serviceUrlVariables,
  ...observabilityVariables('127.0.0.1'),
  masterKeys,
};
const rules = [corsRule, leaseRule, presignRule, viewerTokenRule];
const secret = { AUTH_JWT_SECRET: 'x'.repeat(32) };
const s3 = { S3_BUCKET: 'b', S3_REGION: 'r', AWS_ACCESS_KEY_ID: 'i', AWS_SECRET_ACCESS_KEY: 's' };

function read(env: Environment) {
  return readConfig(all, env, { rules });
}

function faulty(env: Environment): string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => fault.variable);
    throw error;
  }
}

describe('the defaults are those of the contract', () => {
  const { values, warnings } = read(secret);
  it.each<[keyof typeof values, unknown]>([
    ['port', 4100],
    ['host', '0.0.0.0'],
    ['sqlitePath', 'data/latchkey.db'],
    ['databaseUrl', undefined],
    ['redisUrl', undefined],
    ['natsUrl', undefined],
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
});

describe('what must hold between variables', () => {
  it.each<[string, Environment, string[]]>([
    ['no way to authenticate viewers', {}, ['AUTH_JWT_SECRET']],
    ['a database of Redis that is no number', { ...secret, REDIS_URL: 'redis://cache/main' }, ['REDIS_URL']],
    ['anonymous viewers on purpose', { ALLOW_ANONYMOUS_VIEWERS: 'true' }, []],
    ['a key set alone', { AUTH_JWKS_URL: 'https://id.example/jwks' }, []],
    [
      'anonymous in production',
      { ALLOW_ANONYMOUS_VIEWERS: 'true', NODE_ENV: 'production' },
      ['ALLOW_ANONYMOUS_VIEWERS'],
    ],
    [
      'anonymous with presign',
      { ALLOW_ANONYMOUS_VIEWERS: 'true', ENABLE_PRESIGN: 'true', ...s3 },
      ['ENABLE_PRESIGN'],
    ],
    ['a secret that is too short is one fault', { AUTH_JWT_SECRET: 'short' }, ['AUTH_JWT_SECRET']],
    ['presign with all it needs', { ...secret, ENABLE_PRESIGN: 'true', ...s3 }, []],
    ['presign with nothing', { ...secret, ENABLE_PRESIGN: 'true' }, Object.keys(s3)],
    ['presign without a region', { ...secret, ENABLE_PRESIGN: 'true', ...s3, S3_REGION: '' }, ['S3_REGION']],
    ['S3 variables without presign', { ...secret, S3_BUCKET: 'b' }, []],
    ['any origin in development', { ...secret, CORS_ORIGINS: '*' }, []],
    ['a mode of Node in capitals', { ...secret, NODE_ENV: 'Production' }, ['NODE_ENV']],
    ['any origin in production', { ...secret, CORS_ORIGINS: '*', NODE_ENV: 'production' }, ['CORS_ORIGINS']],
    [
      'a default beyond the longest lease',
      { ...secret, LEASE_TTL_SECONDS: '3601' },
      ['LEASE_MAX_TTL_SECONDS'],
    ],
    ['equal lengths of lease', { ...secret, LEASE_TTL_SECONDS: '60', LEASE_MAX_TTL_SECONDS: '60' }, []],
    ['a database of another kind', { ...secret, DATABASE_URL: 'mysql://db/x' }, ['DATABASE_URL']],
    [
      'a bootstrap key that looks like a JWT',
      { ...secret, ADMIN_API_KEY: 'eyJh.eyJz.c2ln' },
      ['ADMIN_API_KEY'],
    ],
    ['a setup token with a space', { ...secret, SETUP_TOKEN: 'two words' }, ['SETUP_TOKEN']],
    ['every proxy by its range', { ...secret, TRUST_PROXY: '0.0.0.0/0' }, ['TRUST_PROXY']],
    [
      'faults of every kind together',
      { TRUST_PROXY: '0', MASTER_KEY_HEX: 'a', LEASE_TTL_SECONDS: '9999' },
      ['TRUST_PROXY', 'MASTER_KEY_HEX', 'SALT_HEX', 'LEASE_MAX_TTL_SECONDS', 'AUTH_JWT_SECRET'],
    ],
  ])('%s', (_name, env, variables) => {
    expect(faulty(env)).toEqual(variables);
  });

  it('a service without ENABLE_PRESIGN and NODE_ENV applies the rule about viewer tokens to the variables that it has', () => {
    const attempt = () => readConfig(viewerTokenVariables, {}, { rules: [viewerTokenRule] });
    expect(attempt).toThrow('AUTH_JWT_SECRET and AUTH_JWKS_URL are both not set');
  });
});

describe('warnings', () => {
  it.each<[string, Environment]>([
    ['TRUST_PROXY is true', { TRUST_PROXY: 'true' }],
    ['ADMIN_API_KEY has 5 characters', { ADMIN_API_KEY: 'short' }],
    ['SETUP_TOKEN has 5 characters', { SETUP_TOKEN: 'short' }],
    ['AUTH_JWKS_URL is fetched over plain HTTP', { AUTH_JWKS_URL: 'http://id.example/jwks' }],
    ['ALLOW_ANONYMOUS_VIEWERS is true', { ALLOW_ANONYMOUS_VIEWERS: 'true' }],
  ])('%s', (beginning, env) => {
    const { warnings } = read({ ...secret, ...env });
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${beginning}`))]);
  });

  it.each([
    'http://localhost:9/jwks',
    'http://127.0.0.1/jwks',
    'http://[::1]/jwks',
    'https://id.example/jwks',
  ])('none for a key set at %s', (url) => expect(read({ AUTH_JWKS_URL: url }).warnings).toEqual([]));
});

it('a service of the distributed profile does not start without INTERNAL_SECRET', () => {
  expect(() => readConfig(internalVariables, {})).toThrow('INTERNAL_SECRET is not set');
});

it('the help names each variable once and no value of the environment', () => {
  const names = describeVariables({ ...all, ...internalVariables }).match(/^[A-Z][A-Z0-9_]+/gm) ?? [];
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['TRUST_PROXY', 'SALT_HEX', 'INTERNAL_SECRET', 'S3_ENDPOINT']),
  );
});
