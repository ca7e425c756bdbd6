import { describe, expect, it } from 'vitest';
import { readSeparateServiceConfig, readSingleNodeConfig } from './profiles.ts';
import { ConfigError } from './read-config.ts';
import { claimPath } from './token-parsers.ts';

const complete = {
  MASTER_KEY_HEX: '0'.repeat(64),
  SALT_HEX: '1'.repeat(64),
  AUTH_JWT_SECRET: 'a token secret that is long enough',
  ADMIN_API_KEY: 'a'.repeat(32),
};
const separate = { INTERNAL_SECRET: 'i'.repeat(32), DATABASE_URL: 'postgres://db/x' };

/** The message of the only fault; null where the value is accepted. */
function faultOf(name: string, value: string): string | null {
  const isSeparate = name.startsWith('INTERNAL') || ['NATS_URL', 'LEASES_SERVICE_URL'].includes(name);
  try {
    if (isSeparate) readSeparateServiceConfig({ ...separate, [name]: value });
    else readSingleNodeConfig({ ...complete, [name]: value });
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.faults.map(({ variable }) => variable)).toEqual([name]);
    return error.message;
  }
}

const warningsOf = (name: string, value: string) =>
  readSingleNodeConfig({ ...complete, [name]: value }).warnings;

/** The ways in which operators write two values. */
const lists = (one: string, other: string) => [
  `${one},${other}`,
  `${one}, ${other}`,
  `${one} ${other}`,
  `${one};${other}`,
  `${one}|${other}`,
  `${one}\n${other}`,
  JSON.stringify([one, other]),
  JSON.stringify([one]),
  `"${one}"`,
];
const words = lists('web', 'ios');
const urls = lists('https://a.example/x', 'https://b.example/x');

describe('a variable that takes one value refuses a list at the start, with its name and the accepted form', () => {
  it.each([
    ['AUTH_JWT_AUDIENCE', [...words, ...urls, 'web,', ' web', 'web ', 'https://a.example/,web']],
    ['AUTH_JWT_ISSUER', [...urls, 'https://a.example/x,b.example', "'https://a.example/x'"]],
    ['AUTH_JWKS_URL', [...urls, 'https://a.example,b.example/x', 'https://a.example;b.example/x']],
    ['AUTH_JWT_CONTENT_CLAIM', [...words, 'films,', ' films', ...lists('/app/a', '/app/b')]],
    ['AUTH_JWT_VIEWER_CLAIM', [...words, 'sub;email']],
    ['PUBLIC_URL', [...urls, 'https://a.example,b.example']],
    ['GRAFANA_URL', urls],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', urls],
    ['AUDIT_FORWARD', lists('file:/var/log/a', 'syslog://h:514')],
  ])('%s', (name, values) => {
    for (const value of values) {
      const fault = faultOf(name, value);
      expect(fault, value).toContain(`${name} is `);
      expect(fault, value).toContain('Accepted: ');
    }
  });
});

describe('a variable that takes a list refuses the separators of other lists', () => {
  const secrets = ['x', 'z'].map((letter) => letter.repeat(32));
  it.each([
    ['CORS_ORIGINS', ['https://a.example;https://b.example', 'https://a.example;b.example']],
    ['PLAYLIST_ORIGINS', ['https://a.example;b.example', '["https://a.example"]']],
    ['LEASES_SERVICE_URL', ['http://a:1;http://b:1', 'http://a:1 http://b:1', '["http://a:1"]']],
    ['NATS_URL', ['nats://a;nats://b', 'nats://a|nats://b', '["nats://a"]']],
    ['VIEWER_TOKEN_FROM', ['header query', 'header;query', '["header"]']],
    ['ADMIN_API_KEY_PREVIOUS', [JSON.stringify(secrets)]],
    ['AUTH_JWT_SECRET_PREVIOUS', [JSON.stringify(secrets), JSON.stringify(secrets.slice(1))]],
    ['INTERNAL_SECRET_PREVIOUS', [JSON.stringify(secrets)]],
  ])('%s', (name, values) => {
    for (const value of values) expect(faultOf(name, value), value).toContain(name);
  });
});

describe('one value is accepted as it is written', () => {
  it.each([
    [
      'AUTH_JWT_AUDIENCE',
      ['web', 'api://6c3f-11', 'https://api.example.com/', 'urn:example:keys', 'a.b:c@d'],
    ],
    ['AUTH_JWT_ISSUER', ['https://login.example/realms/a', 'http://[::1]:8080/r', 'https://a.example/x;v=1']],
    ['AUTH_JWKS_URL', ['https://a.example/keys/a,b', 'https://a_b.example/x;v=1?set=a,b', 'https://[::1]/j']],
    ['PUBLIC_URL', ['https://example.com/a,b', 'https://münchen.example']],
    [
      'AUTH_JWT_CONTENT_CLAIM',
      ['films', 'https://example.com/films', 'cognito:groups', '/a b', '/a,b', '/a~1b'],
    ],
    ['ADMIN_API_KEY_PREVIOUS', [`${'x'.repeat(32)},${'z'.repeat(32)}`, `[${'x'.repeat(32)}]`]],
    ['AUDIT_FORWARD', ['file:/var/log/a,b', 'syslog://[::1]:514']],
  ])('%s', (name, values) => {
    for (const value of values) expect(faultOf(name, value), value).toBeNull();
  });
});

describe('the place of a claim', () => {
  it.each([
    ['app_metadata.content_ids', '/app_metadata/content_ids'],
    ['resource_access.my~app.roles', '/resource_access/my~0app/roles'],
    ['app_metadata/content_ids', '/app_metadata/content_ids'],
    ['#/app_metadata/content_ids', '/app_metadata/content_ids'],
    ['$.app_metadata.content_ids', '/app_metadata/content_ids'],
    ['rights[0].id', '/rights/0/id'],
  ])('%s starts with a warning that shows the pointer', (name, pointer) => {
    expect(claimPath.parse(name)).toMatchObject({ value: name });
    for (const variable of ['AUTH_JWT_CONTENT_CLAIM', 'AUTH_JWT_VIEWER_CLAIM'])
      expect(warningsOf(variable, name)).toEqual([expect.stringContaining(`set it to ${pointer}.`)]);
  });

  it.each([
    'films',
    'https://example.com/films',
    'urn:zitadel:roles',
    '/a/b',
    '/https:~1~1example.com~1films',
    '/0',
  ])('%s starts without a warning', (path) => expect(claimPath.parse(path)).toEqual({ value: path }));

  it.each(['/a~2', '/a~', '/~', '/a~/b', '/a\n'])('%j is refused, with the accepted forms', (path) => {
    expect(faultOf('AUTH_JWT_CONTENT_CLAIM', path)).toMatch(/Accepted: the name of one claim.*JSON Pointer/);
  });

  it.each(['/', '/a/', '//a'])('the pointer %s, which names an empty name, starts with a warning', (path) => {
    expect(claimPath.parse(path)).toMatchObject({ value: path, warning: expect.stringContaining('empty') });
  });
});

describe('AUTH_JWT_CONTENT_CLAIM_REQUIRED', () => {
  it('false warns at every start, because a token without the claim opens every content', () => {
    expect(warningsOf('AUTH_JWT_CONTENT_CLAIM_REQUIRED', 'false')).toEqual([
      expect.stringContaining('opens every content'),
    ]);
    expect(warningsOf('AUTH_JWT_CONTENT_CLAIM_REQUIRED', 'true')).toEqual([]);
  });
});
