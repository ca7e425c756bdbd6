import { describe, expect, it } from 'vitest';
import { type Environment, readSeparateServiceConfig } from '../index.ts';

const read = (env: Environment) => () =>
  readSeparateServiceConfig({ INTERNAL_SECRET: 'a-secret-of-services-0123456789ab', ...env });

describe('TLS between services', () => {
  const files = {
    INTERNAL_TLS_CA_FILE: '/ca',
    INTERNAL_TLS_CERT_FILE: '/crt',
    INTERNAL_TLS_KEY_FILE: '/key',
  };
  const others = ['AUTH', 'CONTENT', 'KEY_DERIVATION', 'PLAYBACK'].map((name) => [
    `${name}_SERVICE_URL`,
    'https://o:1',
  ]);
  const withTls = { ...files, ...Object.fromEntries(others) };

  it.each(Object.keys(files))('%s is refused without the other two files', (name) => {
    const missing = Object.keys(files).filter((other) => other !== name);
    expect(read({ [name]: '/tls/file' })).toThrow(`${name} is set without ${missing.join(' and ')}.`);
  });

  it.each([undefined, 'http://leases:4102', 'https://a:4102,http://b:4102'])('refuses the URL %s', (url) => {
    const message =
      /one fault:\s+- LEASES_SERVICE_URL is http:.* without TLS, but INTERNAL_TLS_CERT_FILE is set/;
    expect(read({ ...withTls, LEASES_SERVICE_URL: url })).toThrow(message);
  });

  it('accepts URLs with TLS, which need no files of ours', () => {
    for (const env of [withTls, {}])
      expect(read({ ...env, LEASES_SERVICE_URL: 'https://l:4102' })).not.toThrow();
  });
});

it.each<[string, Environment, string]>([
  [
    'files for TLS to Redis without it',
    { REDIS_URL: 'redis://r', REDIS_CERT_FILE: '/c' },
    'REDIS_CERT_FILE is set',
  ],
  ['files for TLS to NATS without it', { NATS_URL: 'nats://n', NATS_CA_FILE: '/c' }, 'NATS_CA_FILE is set'],
  [
    'two users of NATS',
    { NATS_URL: 'nats://u:p@n', NATS_NKEY: `SU${'A'.repeat(56)}` },
    'NATS_URL cannot be used',
  ],
])('%s are refused', (_what, env, message) => {
  expect(read(env)).toThrow(message);
});
