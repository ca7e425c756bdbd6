import { describe, expect, it } from 'vitest';
import { readSingleNodeConfig } from './profiles.ts';
import type { Environment } from './source.ts';

const complete = {
  MASTER_KEY_HEX: '0'.repeat(64),
  SALT_HEX: '1'.repeat(64),
  AUTH_JWT_SECRET: 'a token secret that is long enough',
};

/** What is said of each variable; nothing where the configuration can be used. */
function said(env: Environment): Record<string, string> {
  try {
    readSingleNodeConfig({ ...complete, ...env });
    return {};
  } catch (error) {
    const { faults } = error as { faults: { variable: string; message: string }[] };
    return Object.fromEntries(faults.map(({ variable, message }) => [variable, message]));
  }
}

describe('what is missing is named with its accepted forms', () => {
  it.each(['S3_BUCKET', 'S3_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])(
    'without %s the start fails, and the message names it and the accepted forms',
    (name) => {
      expect(said({ ENABLE_PRESIGN: 'true' })[name]).toMatch(
        /is not set, but ENABLE_PRESIGN=true needs it\. Accepted: \w/,
      );
    },
  );

  it('without a way to check viewer tokens the start fails, and the message names both ways', () => {
    const message = said({ AUTH_JWT_SECRET: '' }).AUTH_JWT_SECRET;
    expect(message).toMatch(/AUTH_JWT_SECRET \(accepted: at least 32 bytes.*AUTH_JWKS_URL \(accepted: a URL/);
  });
});

describe('ALLOW_ANONYMOUS_VIEWERS is proposed only where it would be taken', () => {
  it.each([
    ['in development', {}, true],
    ['in production', { NODE_ENV: 'production' }, false],
    ['with presign', { ENABLE_PRESIGN: 'true' }, false],
  ])('%s', (_, env, proposed) => {
    const message = said({ ...env, AUTH_JWT_SECRET: '' }).AUTH_JWT_SECRET ?? '';
    expect(message.includes('ALLOW_ANONYMOUS_VIEWERS')).toBe(proposed);
  });
});

describe('requests and metrics are not served on one port', () => {
  it.each<[string, Environment, boolean]>([
    ['the same port', { PORT: '4100', METRICS_PORT: '4100' }, false],
    ['the default of the metrics', { PORT: '9464' }, false],
    ['the same port of one address', { PORT: '5', METRICS_PORT: '5', HOST: '127.0.0.1' }, false],
    ['the same port of two addresses', { PORT: '5', METRICS_PORT: '5', HOST: '10.0.0.1' }, true],
    ['two ports', { PORT: '4100', METRICS_PORT: '4101' }, true],
    ['whichever are free', { PORT: '0', METRICS_PORT: '0' }, true],
  ])('%s', (_, env, fine) => {
    const message = expect.stringMatching(
      /METRICS_PORT and PORT are both \d+\. Accepted: two different ports/,
    );
    expect(said(env)).toEqual(fine ? {} : { METRICS_PORT: message });
  });
});
