import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { custodians } from './custodians.ts';
import { masterKeyRule, masterKeys } from './master-keys.ts';
import { type ConfigError, readConfig } from './read-config.ts';
import type { Environment } from './source.ts';

const hex = 'aa'.repeat(32);
const token = { PKCS11_MODULE: '/lib/token.so', PKCS11_TOKEN_LABEL: 'a token', PKCS11_PIN: 'p-i-n' };
const vault = {
  MASTER_KEY_PROVIDER: 'vault-transit',
  VAULT_ADDR: 'https://vault:8200',
  VAULT_TRANSIT_KEY: 'latchkey-1',
  VAULT_TOKEN: 'p-i-n',
};
const read = (env: Environment) =>
  readConfig({ masterKeys, custodians }, env, { readFile: () => 'from a file\n', rules: [masterKeyRule] })
    .values;

function faultsOf(env: Environment): string[] {
  try {
    read(env);
  } catch (error) {
    return (error as ConfigError).faults.map(({ message }) => message);
  }
  return [];
}

describe('the providers of the master key', () => {
  it('without one, every version is in the environment', () => {
    expect(read({ MASTER_KEY_HEX: hex, SALT_HEX: hex }).custodians).toEqual([]);
    expect(read({ MASTER_KEY_PROVIDER: 'env', MASTER_KEY_HEX: hex, SALT_HEX: hex }).custodians).toEqual([]);
  });

  it('each version may live elsewhere, and the PIN may come from a file and is never shown', () => {
    const { PKCS11_PIN: _, ...place } = token;
    const values = read({
      ...place,
      PKCS11_PIN_FILE: '/run/secrets/pin',
      MASTER_KEY_HEX: hex,
      SALT_HEX: hex,
      MASTER_KEY_PROVIDER_V3: 'pkcs11',
      PKCS11_KEY_LABEL_V3: 'third',
    });
    expect(values.masterKeys.reveal().map(({ version }) => version)).toEqual([1]);
    expect(values.custodians).toMatchObject([
      {
        version: 3,
        provider: 'pkcs11',
        modulePath: '/lib/token.so',
        tokenLabel: 'a token',
        keyLabel: 'third',
      },
    ]);
    const [third] = values.custodians;
    expect(third?.provider === 'pkcs11' && third.pin.reveal()).toBe('from a file');
    expect(inspect(values, { depth: 9 })).not.toContain('from a file');
  });

  it('a KMS and a Vault are named by version, and share what is of the process', () => {
    const values = read({
      ...vault,
      MASTER_KEY_PROVIDER_V2: 'aws-kms',
      AWS_KMS_KEY_ID_V2: 'alias/latchkey',
      MASTER_KEY_PROVIDER_V3: 'vault-transit',
      VAULT_TRANSIT_KEY_V3: 'latchkey-3',
      VAULT_TRANSIT_MOUNT: 'team/transit',
    });
    expect(values.custodians).toMatchObject([
      { version: 1, provider: 'vault-transit', keyName: 'latchkey-1', mount: 'team/transit' },
      { version: 2, provider: 'aws-kms', keyId: 'alias/latchkey', endpoint: undefined },
      { version: 3, provider: 'vault-transit', keyName: 'latchkey-3', address: 'https://vault:8200' },
    ]);
    expect(inspect(values, { depth: 9 })).not.toContain('p-i-n');
  });

  it.each<[string, Environment, string]>([
    [
      'an unknown provider',
      { MASTER_KEY_PROVIDER: 'paper' },
      'MASTER_KEY_PROVIDER is "paper", which is not one of',
    ],
    [
      'a missing variable',
      { ...token, MASTER_KEY_PROVIDER: 'pkcs11' },
      'PKCS11_KEY_LABEL is not set, which MASTER_KEY_PROVIDER needs',
    ],
    [
      'a relative path',
      { ...token, MASTER_KEY_PROVIDER: 'pkcs11', PKCS11_KEY_LABEL: 'x', PKCS11_MODULE: 'token.so' },
      'PKCS11_MODULE is "token.so", which is not absolute',
    ],
    [
      'the key beside its provider',
      { ...token, MASTER_KEY_PROVIDER: 'pkcs11', PKCS11_KEY_LABEL: 'x', MASTER_KEY_HEX: hex, SALT_HEX: hex },
      'MASTER_KEY_HEX is set, but MASTER_KEY_PROVIDER is pkcs11: the key lives there',
    ],
    [
      'no version 1 anywhere',
      { MASTER_KEY_HEX_V2: hex, SALT_HEX_V2: hex },
      'MASTER_KEY_HEX and SALT_HEX are not set, though a later version is',
    ],
    [
      'a KMS without its key',
      { MASTER_KEY_PROVIDER: 'aws-kms', MASTER_KEY_PROVIDER_V2: 'aws-kms', AWS_KMS_KEY_ID: 'alias/latchkey' },
      'AWS_KMS_KEY_ID_V2 is not set, which MASTER_KEY_PROVIDER_V2 needs',
    ],
    [
      'a Vault without a login',
      { ...vault, VAULT_TOKEN: undefined },
      'VAULT_TOKEN is not set, which MASTER_KEY_PROVIDER needs',
    ],
    [
      'a Vault with two logins',
      { ...vault, VAULT_ROLE_ID: 'role', VAULT_SECRET_ID: 'p-i-n' },
      'VAULT_TOKEN and VAULT_ROLE_ID are both set',
    ],
    [
      'a role without its secret',
      { ...vault, VAULT_TOKEN: undefined, VAULT_ROLE_ID: 'role' },
      'VAULT_SECRET_ID is not set, which MASTER_KEY_PROVIDER needs',
    ],
    [
      'an address with a password',
      { ...vault, VAULT_ADDR: 'https://user:p-i-n@vault:8200' },
      'VAULT_ADDR is',
    ],
    [
      'a name that leaves its place in the path',
      { ...vault, VAULT_TRANSIT_KEY: '../../sys/seal' },
      'VAULT_TRANSIT_KEY is "../../sys/seal", which has other characters',
    ],
    ['nothing at all', {}, 'Or name the vault that holds the key in MASTER_KEY_PROVIDER'],
    ['a version that is none', { MASTER_KEY_PROVIDER_V1: 'env' }, 'MASTER_KEY_PROVIDER_V1 names no version'],
  ])('%s is a fault that names the variable', (_, env, message) => {
    const faults = faultsOf(env);
    expect(
      faults.some((fault) => fault.includes(message)),
      faults.join('\n'),
    ).toBe(true);
    expect(faults.join()).not.toMatch(/p-i-n|aaaa/);
  });
});
