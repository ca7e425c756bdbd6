import { describe, expect, test } from 'vitest';
import { readSingleNodeConfig } from './profiles.ts';
import { ConfigError } from './read-config.ts';

/** Made once by `openssl rand -hex 32`. */
const random = [
  '8f1f7ab0c4c1a8d0f3a4f0b0c9be6a1d2c7f5e6e0d9b8a7c6d5e4f3a2b1c0d9e',
  '3b9ac5e7d1f04826b1c3d5e7f90a2b4c6d8e0f1a2b3c4d5e6f708192a3b4c5d6',
  'c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9eaf0b1c2d3e4f506',
] as const;
const sound = {
  NODE_ENV: 'production',
  MASTER_KEY_HEX: random[0],
  SALT_HEX: random[1],
  AUTH_JWT_SECRET: random[2],
};

/** The variables that are refused, and what is said. */
function refused(env: Record<string, string>): Record<string, string> {
  try {
    readSingleNodeConfig({ ...sound, ...env });
    return {};
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.faults.map(({ variable, message }) => [variable, message]));
  }
}

describe('NODE_ENV=production', () => {
  test('NODE_ENV=production accepts random secrets, including the shortest allowed', () => {
    expect(refused({})).toEqual({});
    for (const name of ['ADMIN_API_KEY', 'SETUP_TOKEN'])
      for (const value of [`lk_${random[2]}`, random[0].slice(0, 16), 'Kq7vR2xN9pL4mT6w'])
        expect(refused({ [name]: value })).toEqual({});
  });

  test.each([
    'a',
    'changeme',
    'Kq7vR2xN9pL4mT6',
    'x'.repeat(64),
    'abcdefgh'.repeat(4),
    `${'1234567'.repeat(4)}1234`,
    'aabbccddaabbccddaabbccddaabbccda',
  ])(
    'refuses %s as ADMIN_API_KEY and SETUP_TOKEN, names the variable and the accepted forms, and shows no value',
    (value) => {
      for (const name of ['ADMIN_API_KEY', 'SETUP_TOKEN']) {
        const { [name]: message, ...others } = refused({ [name]: value });
        expect(others).toEqual({});
        expect(message).toContain(name);
        expect(message).toContain('Accepted: 16 or more characters at random');
        if (value.length > 8) expect(message).not.toContain(value);
      }
    },
  );

  test.each(['00'.repeat(32), 'ff'.repeat(32), '0123456789abcdef'.repeat(4), `${'00'.repeat(31)}01`])(
    'refuses the master key and the salt %s, of a later version too',
    (value) => {
      for (const name of ['MASTER_KEY_HEX', 'SALT_HEX'])
        expect(Object.keys(refused({ [name]: value }))).toEqual([name]);
      const second = { MASTER_KEY_HEX_V2: random[2], SALT_HEX_V2: value };
      expect(Object.keys(refused(second))).toEqual(['SALT_HEX_V2']);
    },
  );

  test('NODE_ENV=production refuses a salt that equals the master key', () => {
    expect(refused({ SALT_HEX: sound.MASTER_KEY_HEX }).SALT_HEX).toContain('the same as MASTER_KEY_HEX');
  });

  test.each(['s'.repeat(40), `base64:${Buffer.alloc(32).toString('base64')}`, 'secret'.repeat(8)])(
    'refuses the token secret %s',
    (value) => expect(Object.keys(refused({ AUTH_JWT_SECRET: value }))).toEqual(['AUTH_JWT_SECRET']),
  );
});

test('without NODE_ENV=production weak secrets are accepted, for development', () => {
  const weak = { ADMIN_API_KEY: 'a', MASTER_KEY_HEX: '00'.repeat(32), SALT_HEX: '00'.repeat(32) };
  expect(refused({ ...weak, NODE_ENV: 'development' })).toEqual({});
});
