import { describe, expect, it } from 'vitest';
import {
  internalVariables,
  readConfig,
  sharedDatabaseVariables,
  viewerTokenRule,
  viewerTokenVariables,
} from './index.ts';
import { readSeparateServiceConfig, readSingleNodeConfig } from './profiles.ts';
import { ConfigError } from './read-config.ts';
import type { Environment } from './source.ts';

/** Made by `openssl rand -hex 32`. */
const random = [
  '8f1f7ab0c4c1a8d0f3a4f0b0c9be6a1d2c7f5e6e0d9b8a7c6d5e4f3a2b1c0d9e',
  '3b9ac5e7d1f04826b1c3d5e7f90a2b4c6d8e0f1a2b3c4d5e6f708192a3b4c5d6',
  'c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9eaf0b1c2d3e4f506',
] as const;
const complete = { MASTER_KEY_HEX: random[0], SALT_HEX: random[1], AUTH_JWT_SECRET: random[2] };
const noToken = { AUTH_JWT_SECRET: '' };
const production = { NODE_ENV: 'production' };
const s3 = { S3_BUCKET: 'b', S3_REGION: 'r', AWS_ACCESS_KEY_ID: 'i', AWS_SECRET_ACCESS_KEY: 's' };
const presign = { ENABLE_PRESIGN: 'true' };

/** The message for each faulty variable; nothing where the configuration can be used. */
function faultsOf(read: () => unknown): Record<string, string> {
  try {
    read();
    return {};
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.faults.map(({ variable, message }) => [variable, message]));
  }
}
const faults = (env: Environment) => faultsOf(() => readSingleNodeConfig({ ...complete, ...env }));

/** The variable and what its message contains. */
type Fault = readonly [variable: string, ...words: (string | RegExp)[]];

describe('a faulty configuration is refused with each variable, what is wrong and what is accepted', () => {
  const weakKey = '0123456789abcdef'.repeat(4);
  it.each<[what: string, env: Environment, ...Fault[]]>([
    // The forms of single variables are those of their parsers.
    ['a database of another kind', { DATABASE_URL: 'mysql://db/x' }, ['DATABASE_URL']],
    ['a bootstrap key that looks like a JWT', { ADMIN_API_KEY: 'eyJh.eyJz.c2ln' }, ['ADMIN_API_KEY']],
    ['a setup token with a space', { SETUP_TOKEN: 'two words' }, ['SETUP_TOKEN']],
    ['every proxy by its range', { TRUST_PROXY: '0.0.0.0/0' }, ['TRUST_PROXY', 'loopback', 'uniquelocal']],
    ['production with a capital', { NODE_ENV: 'Production' }, ['NODE_ENV']],
    ...['1', '4', 'auto'].map((number): [string, Environment, Fault] => [
      `${number} as the number of processes of a single node`,
      { LATCHKEY_WORKERS: number },
      ['LATCHKEY_WORKERS', 'the single node is one process', 'edge processes on Postgres', 'docs/scale.md'],
    ]),
    [
      'the number of processes of a single node from a file',
      { LATCHKEY_WORKERS_FILE: '/run/secrets/workers' },
      ['LATCHKEY_WORKERS', 'the single node is one process'],
    ],
    [
      'a key for the chain that the audit had',
      { AUDIT_CHAIN_SECRET: 'a'.repeat(32) },
      ['AUDIT_CHAIN_SECRET', 'not chained any more', 'Remove the variable', 'AUDIT_FORWARD'],
    ],
    // What must hold between variables.
    [
      'no way to check viewer tokens',
      noToken,
      [
        'AUTH_JWT_SECRET',
        /\(accepted: at least 32 bytes.*AUTH_JWKS_URL \(accepted: a URL/,
        /ALLOW_ANONYMOUS/,
      ],
    ],
    [
      'anonymous viewers with presign',
      { ...noToken, ALLOW_ANONYMOUS_VIEWERS: 'true', ...presign, ...s3 },
      ['ENABLE_PRESIGN'],
    ],
    [
      'presign with nothing',
      presign,
      ...Object.keys(s3).map((name): Fault => [name, /is not set, but ENABLE_PRESIGN=true.*Accepted: \w/]),
    ],
    ['presign without a region', { ...presign, ...s3, S3_REGION: '' }, ['S3_REGION']],
    [
      'metrics on the port of requests',
      { PORT: '4100', METRICS_PORT: '4100' },
      ['METRICS_PORT', /METRICS_PORT and PORT are both 4100\. Accepted: two different ports/],
    ],
    ['requests on the default port of metrics', { PORT: '9464' }, ['METRICS_PORT', 'are both 9464']],
    ['the same port of one address', { PORT: '5', METRICS_PORT: '5', HOST: '127.0.0.1' }, ['METRICS_PORT']],
    // Secrets that can be guessed.
    ...['ADMIN_API_KEY', 'SETUP_TOKEN'].flatMap((name) =>
      [
        ...['a', 'changeme', 'Kq7vR2xN9pL4mT6', 'x'.repeat(64), 'abcdefgh'.repeat(4)],
        ...[`${'1234567'.repeat(4)}1234`, 'aabbccddaabbccddaabbccddaabbccda'],
      ].map((value): [string, Environment, Fault] => [
        `${name}=${value}`,
        { [name]: value, ...production },
        [name, 'Accepted: 16 or more characters at random'],
      ]),
    ),
    ...['MASTER_KEY_HEX', 'SALT_HEX'].flatMap((name) =>
      ['00'.repeat(32), 'ff'.repeat(32), weakKey, `${'00'.repeat(31)}01`].map(
        (value): [string, Environment, Fault] => [
          `${name}=${value}`,
          { [name]: value, ...production },
          [name],
        ],
      ),
    ),
    [
      'a weak salt of a later version',
      { MASTER_KEY_HEX_V2: random[2], SALT_HEX_V2: weakKey, ...production },
      ['SALT_HEX_V2'],
    ],
    [
      'a salt that equals the master key',
      { SALT_HEX: random[0], ...production },
      ['SALT_HEX', 'the same as MASTER_KEY_HEX'],
    ],
    ...['s'.repeat(40), `base64:${Buffer.alloc(32).toString('base64')}`, 'secret'.repeat(8)].map(
      (value): [string, Environment, Fault] => [
        `the token secret ${value}`,
        { AUTH_JWT_SECRET: value, ...production },
        ['AUTH_JWT_SECRET'],
      ],
    ),
  ])('%s', (_what, env, ...expected) => {
    const found = faults(env);
    expect(Object.keys(found)).toEqual(expected.map(([variable]) => variable));
    for (const [variable, ...words] of expected)
      for (const word of [variable, ...words]) expect(found[variable]).toMatch(word);
    for (const name of ['ADMIN_API_KEY', 'SETUP_TOKEN'])
      if ((env[name]?.length ?? 0) > 8) expect(found[name]).not.toContain(env[name]);
  });

  it.each<[string, Environment]>([
    ['in production', production],
    ['with presign', { ...presign, ...s3 }],
  ])('anonymous viewers are not proposed %s, where they would be refused', (_, env) => {
    expect(faults({ ...noToken, ...env }).AUTH_JWT_SECRET).not.toContain('ALLOW_ANONYMOUS_VIEWERS');
  });

  it('a service refuses what is faulty in the variables that it has', () => {
    const read = () => readConfig(viewerTokenVariables, {}, { rules: [viewerTokenRule] });
    expect(read).toThrow('AUTH_JWT_SECRET and AUTH_JWKS_URL are both not set');
    expect(() => readConfig(internalVariables, {})).toThrow('INTERNAL_SECRET is not set');
    // On a file of its own, a service would have a change feed of its own.
    const onFile = () => readConfig(sharedDatabaseVariables, { SQLITE_PATH: ':memory:' });
    expect(onFile).toThrow(/DATABASE_URL is not set.*postgres/);
  });
});

it.each<[string, Environment]>([
  ['anonymous viewers on purpose', { ...noToken, ALLOW_ANONYMOUS_VIEWERS: 'true' }],
  ['a key set alone', { ...noToken, AUTH_JWKS_URL: 'https://id.example/jwks' }],
  ['presign with all it needs', { ...presign, ...s3 }],
  ['S3 variables without presign', { S3_BUCKET: 'b' }],
  ['any origin in development', { CORS_ORIGINS: '*' }],
  ['equal lengths of lease', { LEASE_TTL_SECONDS: '60', LEASE_MAX_TTL_SECONDS: '60' }],
  ['the same port of two addresses', { PORT: '5', METRICS_PORT: '5', HOST: '10.0.0.1' }],
  ['two ports', { PORT: '4100', METRICS_PORT: '4101' }],
  ['whichever ports are free', { PORT: '0', METRICS_PORT: '0' }],
  ['random secrets in production', production],
  ...[`lk_${random[2]}`, random[0].slice(0, 16), 'Kq7vR2xN9pL4mT6w'].map((value): [string, Environment] => [
    `${value} in production`,
    { ADMIN_API_KEY: value, SETUP_TOKEN: value, ...production },
  ]),
  [
    'weak secrets in development',
    {
      ADMIN_API_KEY: 'a',
      MASTER_KEY_HEX: '00'.repeat(32),
      SALT_HEX: '00'.repeat(32),
      NODE_ENV: 'development',
    },
  ],
])('%s can be used', (_what, env) => {
  expect(faults(env)).toEqual({});
});

describe('TLS between services', () => {
  const files = {
    INTERNAL_TLS_CA_FILE: '/tls/ca.crt',
    INTERNAL_TLS_CERT_FILE: '/tls/tls.crt',
    INTERNAL_TLS_KEY_FILE: '/tls/tls.key',
  };
  const separate = (env: Environment) =>
    faultsOf(() =>
      readSeparateServiceConfig({ INTERNAL_SECRET: random[0], DATABASE_URL: 'postgres://db/x', ...env }),
    );
  const others = ['AUTH', 'CONTENT', 'KEY_DERIVATION', 'PLAYBACK'].map((name) => [
    `${name}_SERVICE_URL`,
    'https://other:1',
  ]);
  const withTls = { ...files, ...Object.fromEntries(others) };

  it.each(Object.keys(files))(
    '%s alone is refused: a process would verify others without proving itself, or the other way around',
    (name) => {
      const missing = Object.keys(files).filter((other) => other !== name);
      expect(separate({ [name]: '/tls/file' })[name]).toContain(
        `${name} is set without ${missing.join(' and ')}.`,
      );
    },
  );

  it.each([undefined, 'http://leases:4102', 'https://a:4102,http://b:4102'])(
    'with the files, the URL %s without TLS is refused, also the default and one of several',
    (url) => {
      expect(separate({ ...withTls, LEASES_SERVICE_URL: url })).toEqual({
        LEASES_SERVICE_URL: expect.stringMatching(
          /is http:.* without TLS, but INTERNAL_TLS_CERT_FILE is set/,
        ),
      });
    },
  );

  it('URLs with TLS are accepted with the files and without, and URLs without TLS only without them', () => {
    expect(separate({ ...withTls, LEASES_SERVICE_URL: 'https://leases:4102' })).toEqual({});
    expect(separate({ LEASES_SERVICE_URL: 'https://leases:4102' })).toEqual({});
    expect(separate({})).toEqual({});
  });
});
