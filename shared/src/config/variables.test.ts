import { describe, expect, it } from 'vitest';
import {
  describeVariables,
  readConfig,
  readSeparateServiceConfig,
  readSingleNodeConfig,
  separateServiceSettings,
  sharedDatabaseVariables,
  singleNodeSettings,
} from './index.ts';
import { listFaults } from './list-faults.fixture.ts';
import type { Environment } from './source.ts';

/** Made by `openssl rand -hex 32`. */
const random = [
  '8f1f7ab0c4c1a8d0f3a4f0b0c9be6a1d2c7f5e6e0d9b8a7c6d5e4f3a2b1c0d9e',
  '3b9ac5e7d1f04826b1c3d5e7f90a2b4c6d8e0f1a2b3c4d5e6f708192a3b4c5d6',
  'c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9eaf0b1c2d3e4f506',
] as const;
const single = (env: Environment) =>
  readSingleNodeConfig({
    MASTER_KEY_HEX: random[0],
    SALT_HEX: random[1],
    AUTH_JWT_SECRET: random[2],
    ...env,
  });
const separate = (env: Environment) => readSeparateServiceConfig({ INTERNAL_SECRET: random[0], ...env });

/** The message for each faulty variable. Empty if the configuration can be used. */
function faultsOf(env: Environment, read: (env: Environment) => unknown = single): Record<string, string> {
  const faults = listFaults(() => read(env));
  return Object.fromEntries(faults.map(({ variable, message }) => [variable, message]));
}

const noToken = { AUTH_JWT_SECRET: '' };
const production = { NODE_ENV: 'production' };
const s3 = { S3_BUCKET: 'b', S3_REGION: 'r', AWS_ACCESS_KEY_ID: 'i', AWS_SECRET_ACCESS_KEY: 's' };
const presign = { ENABLE_PRESIGN: 'true' };
const weakKey = '0123456789abcdef'.repeat(4);
const weakCredentials = [
  'a',
  'changeme',
  'Kq7vR2xN9pL4mT6',
  'abcdefgh'.repeat(4),
  `${'1234567'.repeat(4)}1234`,
];

/** The variable and what its message contains. */
type Fault = readonly [variable: string, ...words: (string | RegExp)[]];

describe('a faulty configuration is refused with the variables, what is wrong and what is accepted', () => {
  it.each<[what: string, env: Environment, ...Fault[]]>([
    ['every proxy by its range', { TRUST_PROXY: '0.0.0.0/0' }, ['TRUST_PROXY', 'loopback', 'uniquelocal']],
    ['production with a capital', { NODE_ENV: 'Production' }, ['NODE_ENV']],
    ...[{ LATCHKEY_WORKERS: '1' }, { LATCHKEY_WORKERS_FILE: '/run/secrets/workers' }].map(
      (env): [string, Environment, Fault] => [
        'the number of processes of a single node',
        env,
        ['LATCHKEY_WORKERS', 'the single node is one process', 'docs/operate/scale.md'],
      ],
    ),
    [
      'a key for the chain that the audit had',
      { AUDIT_CHAIN_SECRET: random[2] },
      ['AUDIT_CHAIN_SECRET', 'not chained any more', 'Remove the variable', 'AUDIT_FORWARD'],
    ],
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
      'a previous token secret alone',
      { ...noToken, AUTH_JWT_SECRET_PREVIOUS: random[2] },
      ['AUTH_JWT_SECRET_PREVIOUS'],
    ],
    [
      'anonymous viewers with presign in production',
      { ...noToken, ...production, ALLOW_ANONYMOUS_VIEWERS: 'true', ...presign, ...s3 },
      ['ALLOW_ANONYMOUS_VIEWERS'],
      ['ENABLE_PRESIGN'],
    ],
    [
      'presign with nothing',
      presign,
      ...Object.keys(s3).map((name): Fault => [name, /is not set, but ENABLE_PRESIGN=true.*Accepted: \w/]),
    ],
    ['any origin in production', { CORS_ORIGINS: '*', ...production }, ['CORS_ORIGINS', 'exact origins']],
    ['a shorter longest lease', { LEASE_MAX_TTL_SECONDS: '60' }, ['LEASE_MAX_TTL_SECONDS', 'less than']],
    [
      'metrics on the port of requests',
      { PORT: '9464' },
      ['METRICS_PORT', /METRICS_PORT and PORT are both 9464\./],
    ],
    ['the same port of one address', { PORT: '5', METRICS_PORT: '5', HOST: '127.0.0.1' }, ['METRICS_PORT']],
    ...['ADMIN_API_KEY', 'ADMIN_API_KEY_PREVIOUS', 'SETUP_TOKEN'].flatMap((name) =>
      weakCredentials.map((value): [string, Environment, Fault] => [
        `${name}=${value}`,
        { [name]: value, ...production },
        [name, 'Accepted: 16 or more characters at random'],
      ]),
    ),
    ...['MASTER_KEY_HEX', 'SALT_HEX'].flatMap((name) =>
      ['00'.repeat(32), weakKey, `${'00'.repeat(31)}01`].map((value): [string, Environment, Fault] => [
        `${name}=${value}`,
        { [name]: value, ...production },
        [name],
      ]),
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
    const found = faultsOf(env);
    expect(Object.keys(found)).toEqual(expected.map(([variable]) => variable));
    for (const [variable, ...words] of expected)
      for (const word of [variable, ...words]) expect(found[variable]).toMatch(word);
    for (const weak of weakCredentials.slice(1)) expect(Object.values(found).join()).not.toContain(weak);
  });

  it.each<[string, Environment]>([
    ['in production', production],
    ['with presign', { ...presign, ...s3 }],
  ])('anonymous viewers are not proposed %s, where they would be refused', (_, env) => {
    expect(faultsOf({ ...noToken, ...env }).AUTH_JWT_SECRET).not.toContain('ALLOW_ANONYMOUS_VIEWERS');
  });

  it('a service without the shared database is refused: on a file it would have a change feed of its own', () => {
    expect(() => readConfig(sharedDatabaseVariables, {})).toThrow(/DATABASE_URL is not set.*postgres/);
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
  ...[`lk_${random[2]}`, random[0].slice(0, 16), 'Kq7vR2xN9pL4mT6w'].map((value): [string, Environment] => [
    `${value} in production`,
    { ADMIN_API_KEY: value, SETUP_TOKEN: value, ...production },
  ]),
  [
    'weak secrets in development',
    { ADMIN_API_KEY: 'a', MASTER_KEY_HEX: weakKey, SALT_HEX: weakKey, NODE_ENV: 'dev' },
  ],
])('%s can be used', (_what, env) => {
  expect(faultsOf(env)).toEqual({});
});

/** The ways in which operators write two values. */
const lists = (one: string, other: string) => [
  ...[',', ', ', ' ', ';', '|', '\n'].map((separator) => `${one}${separator}${other}`),
  ...[JSON.stringify([one, other]), JSON.stringify([one]), `"${one}"`],
];
const notByComma = (values: string[]) => values.filter((value) => !/^[^"[]+,/.test(value));
const words = lists('web', 'ios');
const urls = lists('https://a.example/x', 'https://b.example/x');
const twoSecrets = JSON.stringify(['x', 'z'].map((letter) => letter.repeat(32)));

describe('a list in a variable for one value, or with other separators than commas, is refused at the start', () => {
  it.each<[string, string[], ((env: Environment) => unknown)?]>([
    ['AUTH_JWT_AUDIENCE', [...notByComma(words), ...notByComma(urls), 'web,', ',web', 'web,,ios', 'web ios']],
    ['AUTH_JWT_ISSUER', [...notByComma(urls), "'https://a.example/x'"]],
    ['AUTH_JWT_AUDIENCE_CLAIM', [...words, 'client_id,azp']],
    ['AUTH_JWKS_URL', [...urls, 'https://a.example,b.example/x', 'https://a.example;b.example/x']],
    ['AUTH_JWT_CONTENT_CLAIM', [...words, 'films,', ' films', ...lists('/app/a', '/app/b')]],
    ['AUTH_JWT_VIEWER_CLAIM', [...words, 'sub;email', '/a~2', '/a~', '/~', '/a~/b', '/a\n']],
    ['PUBLIC_URL', [...urls, 'https://a.example,b.example']],
    ['AUDIT_FORWARD', lists('file:/var/log/a', 'syslog://h:514')],
    ['CORS_ORIGINS', ['https://a.example;https://b.example', 'https://a.example;b.example']],
    ['PLAYLIST_ORIGINS', ['https://a.example;b.example', '["https://a.example"]']],
    ['VIEWER_TOKEN_FROM', ['header query', 'header;query', '["header"]']],
    ['ADMIN_API_KEY_PREVIOUS', [twoSecrets]],
    ['AUTH_JWT_SECRET_PREVIOUS', [twoSecrets]],
    ['LEASES_SERVICE_URL', ['http://a:1;http://b:1', 'http://a:1 http://b:1', '["http://a:1"]'], separate],
    ['NATS_URL', ['nats://a;nats://b', 'nats://a|nats://b', '["nats://a"]'], separate],
  ])('%s', (name, values, read) => {
    for (const value of values) {
      const { [name]: fault, ...others } = faultsOf({ [name]: value }, read);
      expect(fault, value).toMatch(/Accepted: /);
      expect(others).toEqual({});
    }
  });
});

it.each<[string, string[]]>([
  [
    'AUTH_JWT_AUDIENCE',
    [
      'web,ios',
      'https://a.example/,web',
      'web',
      'api://6c3f-11',
      'https://api.example.com/',
      'urn:example:keys',
      'a.b:c@d',
    ],
  ],
  [
    'AUTH_JWT_ISSUER',
    [
      'https://a.example/x,https://b.example/x',
      'https://login.example/realms/a',
      'http://[::1]:8080/r',
      'https://a.example/x;v=1',
    ],
  ],
  ['AUTH_JWKS_URL', ['https://a.example/keys/a,b', 'https://a_b.example/x;v=1?set=a,b', 'https://[::1]/j']],
  [
    'AUTH_JWT_CONTENT_CLAIM',
    ['films', 'https://example.com/films', 'cognito:groups', '/a b', '/a,b', '/a~1b', '/0'],
  ],
  ['PUBLIC_URL', ['https://example.com/a,b', 'https://münchen.example']],
  ['ADMIN_API_KEY_PREVIOUS', [`${'x'.repeat(32)},${'z'.repeat(32)}`, `[${'x'.repeat(32)}]`]],
  ['AUDIT_FORWARD', ['file:/var/log/a,b', 'syslog://[::1]:514']],
])('%s takes a value as it is written, without a warning', (name, values) => {
  for (const value of values) expect(single({ [name]: value }).warnings, value).toEqual([]);
});

describe('every start warns of a risky value', () => {
  it.each<[string, Environment]>([
    ['ADMIN_API_KEY has 5 characters', { ADMIN_API_KEY: 'short' }],
    ['SETUP_TOKEN has 5 characters', { SETUP_TOKEN: 'short' }],
    ['AUTH_JWKS_URL is fetched over plain HTTP', { AUTH_JWKS_URL: 'http://id.example/jwks' }],
    ['TRUST_PROXY is true', { TRUST_PROXY: 'true' }],
    ['ALLOW_ANONYMOUS_VIEWERS is true', { ALLOW_ANONYMOUS_VIEWERS: 'true' }],
    ['AUTH_JWT_REQUIRE_IAT is false', { AUTH_JWT_REQUIRE_IAT: 'false' }],
    ['AUTH_JWT_CONTENT_CLAIM_REQUIRED is false', { AUTH_JWT_CONTENT_CLAIM_REQUIRED: 'false' }],
    ['AUTHORITY_MAX_AGE_SECONDS is 6', { AUTHORITY_MAX_AGE_SECONDS: '6' }],
    ...['/', '/a/', '//a'].map((claim): [string, Environment] => [
      `AUTH_JWT_VIEWER_CLAIM is ${claim}, which names a claim whose name is empty`,
      { AUTH_JWT_VIEWER_CLAIM: claim },
    ]),
  ])('%s', (beginning, env) => {
    const { warnings } = single(env);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.startsWith(beginning), warnings[0]).toBe(true);
  });

  it.each([
    ['app_metadata.content_ids', '/app_metadata/content_ids'],
    ['resource_access.my~app.roles', '/resource_access/my~0app/roles'],
    ['#/app_metadata/content_ids', '/app_metadata/content_ids'],
    ['$.app_metadata.content_ids', '/app_metadata/content_ids'],
    ['rights[0].id', '/rights/0/id'],
  ])('%s, a claim whose name looks like a path, with the pointer that may be meant', (name, pointer) => {
    for (const variable of ['AUTH_JWT_CONTENT_CLAIM', 'AUTH_JWT_VIEWER_CLAIM'])
      expect(single({ [variable]: name }).warnings).toEqual([
        expect.stringContaining(`set it to ${pointer}.`),
      ]);
  });

  it.each([
    'http://localhost:9/jwks',
    'http://127.0.0.1/jwks',
    'http://[::1]/jwks',
    'https://id.example/jwks',
  ])('not of a key set at %s', (url) => expect(single({ AUTH_JWKS_URL: url }).warnings).toEqual([]));
});

it('the help names each variable once', () => {
  const help = describeVariables({ ...singleNodeSettings, ...separateServiceSettings });
  const names = help.match(/^[A-Z][A-Z0-9_]+(?= \()/gm) ?? [];
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['TRUST_PROXY', 'SALT_HEX', 'INTERNAL_SECRET', 'S3_ENDPOINT']),
  );
});
