import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { custodians, masterKeys } from './master-keys.ts';
import { readConfig } from './read-config.ts';
import { ConfigError } from './settings.ts';
import type { Environment } from './source.ts';
import { processVariables } from './variables/process.ts';

const a = 'aa'.repeat(32);
const b = 'bb'.repeat(32);
const both = { MASTER_KEY_HEX: a, SALT_HEX: a };
const token = { PKCS11_MODULE: '/lib/token.so', PKCS11_TOKEN_LABEL: 'a token', PKCS11_PIN: 'p-i-n' };
const vault = {
  MASTER_KEY_PROVIDER: 'vault-transit',
  VAULT_ADDR: 'https://vault:8200',
  VAULT_TRANSIT_KEY: 'latchkey-1',
  VAULT_TOKEN: 'p-i-n',
};
const pkcs11 = { ...token, MASTER_KEY_PROVIDER: 'pkcs11', PKCS11_KEY_LABEL: 'x' };

/** The file `/p` has `p` 64 times. */
const readFile = (path: string) => `${path.slice(1).repeat(64)}\n`;
const read = (env: Environment) =>
  readConfig({ ...processVariables(0), masterKeys, custodians }, env, readFile).values;

describe('the versions of the master key', () => {
  it.each<[string, Environment, [number, string, string][]]>([
    ['version 1', { MASTER_KEY_HEX: a, SALT_HEX: b }, [[1, a, b]]],
    ['empty further ones', { ...both, MASTER_KEY_HEX_V2: '' }, [[1, a, a]]],
    ['files', { MASTER_KEY_HEX_FILE: '/1', SALT_HEX_FILE: '/2' }, [[1, '1'.repeat(64), '2'.repeat(64)]]],
    [
      'several, rising, with gaps',
      { SALT_HEX_V10: a, MASTER_KEY_HEX_V10: b, ...both, MASTER_KEY_HEX_V3_FILE: '/3', SALT_HEX_V3: b },
      [
        [1, a, a],
        [3, '3'.repeat(64), b],
        [10, b, a],
      ],
    ],
  ])('are read from %s, and never shown', (_name, env, expected) => {
    const { masterKeys: keys } = read(env);
    const found = keys
      .reveal()
      .map(({ version, masterKey, salt }) => [version, masterKey.toString('hex'), salt.toString('hex')]);
    expect(found).toEqual(expected);
    expect(inspect({ keys }, { depth: 9, showHidden: true })).toMatch(/^\{ keys: \[secret\] \}$/);
  });

  it('each may live with another provider, and share what belongs to the process', () => {
    const { PKCS11_PIN: _, ...place } = token;
    const { VAULT_TOKEN: __, ...vaultPlace } = vault;
    const values = read({
      ...{ ...vaultPlace, ...place, PKCS11_PIN_FILE: '/9', MASTER_KEY_HEX_V5: a, SALT_HEX_V5: b },
      VAULT_TOKEN_FILE: '/9',
      ...{ MASTER_KEY_PROVIDER_V2: 'aws-kms', AWS_KMS_KEY_ID_V2: 'alias/latchkey' },
      ...{ MASTER_KEY_PROVIDER_V3: 'vault-transit', VAULT_TRANSIT_KEY_V3: 'latchkey-3' },
      ...{
        MASTER_KEY_PROVIDER_V4: 'pkcs11',
        PKCS11_KEY_LABEL_V4: 'fourth',
        VAULT_TRANSIT_MOUNT: 'team/transit',
      },
    });
    expect(values.masterKeys.reveal().map(({ version }) => version)).toEqual([5]);
    expect(values.custodians).toMatchObject([
      {
        version: 1,
        provider: 'vault-transit',
        keyName: 'latchkey-1',
        mount: 'team/transit',
        login: { tokenFile: '/9' },
      },
      { version: 2, provider: 'aws-kms', keyId: 'alias/latchkey', endpoint: undefined },
      { version: 3, provider: 'vault-transit', keyName: 'latchkey-3', address: 'https://vault:8200' },
      {
        version: 4,
        provider: 'pkcs11',
        modulePath: '/lib/token.so',
        tokenLabel: 'a token',
        keyLabel: 'fourth',
      },
    ]);
    const fourth = values.custodians.find(({ version }) => version === 4);
    expect(fourth?.provider === 'pkcs11' && fourth.pin.reveal()).toBe('9'.repeat(64));
    expect(inspect(values, { depth: 9 })).not.toMatch(/p-i-n|999/);
    expect(read({ MASTER_KEY_PROVIDER: 'env', ...both }).custodians).toEqual([]);
  });

  it.each<[string, Environment, ...messages: string[]]>([
    ['nothing at all', {}, 'MASTER_KEY_HEX and SALT_HEX are not set; only a single node'],
    ['a key without its salt', { MASTER_KEY_HEX: a }, 'SALT_HEX is not set, but MASTER_KEY_HEX is'],
    ['a salt without its key', { SALT_HEX: a }, 'MASTER_KEY_HEX is not set, but SALT_HEX is'],
    [
      'no version 1',
      { MASTER_KEY_HEX_V2: a, SALT_HEX_V2: a },
      'MASTER_KEY_HEX and SALT_HEX are not set, though',
    ],
    [
      'two faults at once',
      { MASTER_KEY_HEX: 'x', SALT_HEX: 'y' },
      'The value of MASTER_KEY_HEX',
      'The value of SALT_HEX',
    ],
    [
      'both forms',
      { ...both, MASTER_KEY_HEX_FILE: '/1' },
      'MASTER_KEY_HEX and MASTER_KEY_HEX_FILE are both set',
    ],
    ...['V1', 'V0', 'V02', 'V1000', 'Vx', 'V'].map((version): [string, Environment, string] => [
      `the version ${version}`,
      { ...both, [`SALT_HEX_${version}`]: b },
      `SALT_HEX_${version} names no version`,
    ]),
    [
      'a provider of version V1',
      { ...both, MASTER_KEY_PROVIDER_V1: 'env' },
      'MASTER_KEY_PROVIDER_V1 names no version',
    ],
    ['an unknown provider', { MASTER_KEY_PROVIDER: 'paper' }, 'MASTER_KEY_PROVIDER is "paper"'],
    [
      'a missing variable',
      { ...pkcs11, PKCS11_KEY_LABEL: '' },
      'PKCS11_KEY_LABEL is not set, which MASTER_KEY_PROVIDER needs',
    ],
    [
      'a relative path',
      { ...pkcs11, PKCS11_MODULE: 'token.so' },
      'PKCS11_MODULE is "token.so", which is not absolute',
    ],
    [
      'the key in addition to its provider',
      { ...pkcs11, ...both },
      'MASTER_KEY_HEX is set, but MASTER_KEY_PROVIDER is pkcs11: the key lives there',
      'SALT_HEX is set, but',
    ],
    [
      'a KMS without its key',
      { ...both, MASTER_KEY_PROVIDER_V2: 'aws-kms', AWS_KMS_KEY_ID: 'alias/latchkey' },
      'AWS_KMS_KEY_ID_V2 is not set, which MASTER_KEY_PROVIDER_V2 needs',
    ],
    [
      'a Vault without a login',
      { ...vault, VAULT_TOKEN: '' },
      'VAULT_TOKEN is not set, which MASTER_KEY_PROVIDER needs',
    ],
    [
      'a Vault with two logins',
      { ...vault, VAULT_ROLE_ID: 'role', VAULT_SECRET_ID: 'p-i-n' },
      'VAULT_TOKEN and VAULT_ROLE_ID are both set',
    ],
    [
      'a role without its secret',
      { ...vault, VAULT_TOKEN: '', VAULT_ROLE_ID: 'role' },
      'VAULT_SECRET_ID is not set, which',
    ],
    [
      'an address with a password',
      { ...vault, VAULT_ADDR: 'https://user:p-i-n@vault:8200' },
      'VAULT_ADDR is',
    ],
    [
      'a name that leaves its place in the path',
      { ...vault, VAULT_TRANSIT_KEY: '../../sys/seal' },
      'VAULT_TRANSIT_KEY is',
    ],
  ])('are refused with %s, and no secret is quoted', (_what, env, ...messages) => {
    let error: unknown;
    try {
      read(env);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigError);
    const { faults } = error as ConfigError;
    expect(faults.map(({ message }) => message)).toEqual(
      messages.map((part) => expect.stringContaining(part)),
    );
    expect(inspect(error)).not.toMatch(/p-i-n|aaaa/);
  });
});
