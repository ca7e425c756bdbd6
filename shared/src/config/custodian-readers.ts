import { type Parser, secret, text } from './parsers.ts';
import type { Secret } from './secret.ts';
import { url } from './url-parsers.ts';
import type { Description } from './variable.ts';

/** The extracted key of one version of the master key on a PKCS#11 token. */
interface Pkcs11Settings {
  readonly modulePath: string;
  readonly tokenLabel: string;
  readonly keyLabel: string;
  readonly pin: Secret<string>;
}

/** The same as an HMAC key of AWS KMS. Region and credentials are those that AWS's own variables and files name. */
interface AwsKmsSettings {
  /** Key id, ARN or alias. */
  readonly keyId: string;
  /** In place of AWS's own. */
  readonly endpoint: string | undefined;
}

/** How a process gets its Vault token. */
export type VaultLogin =
  | { readonly token: Secret<string> }
  | { readonly roleId: string; readonly secretId: Secret<string> };

/** The same as an HMAC key of the transit engine of Vault or OpenBao. */
interface VaultTransitSettings {
  readonly address: string;
  readonly namespace: string | undefined;
  /** PEM: the CA of the address. */
  readonly caFile: string | undefined;
  readonly mount: string;
  readonly keyName: string;
  readonly login: VaultLogin;
}

interface SettingsOf {
  pkcs11: Pkcs11Settings;
  'aws-kms': AwsKmsSettings;
  'vault-transit': VaultTransitSettings;
}
type ProviderName = keyof SettingsOf;

/** Where one version of the master key lives, if it is not in the environment. */
export type CustodianSettings = {
  [Name in ProviderName]: { readonly version: number; readonly provider: Name } & SettingsOf[Name];
}[ProviderName];

/** The variables of one version. What is wrong with them is kept by the caller, which then uses no value. */
interface VariablesOfVersion {
  /** Ends the name of a variable that each version has: `_V2`. */
  suffix: string;
  need<T>(name: string, type: Parser<T>): T | undefined;
  may<T>(name: string, type: Parser<T>): T | undefined;
  isSet(name: string): boolean;
  refuse(variable: string, message: string): void;
}

/** Members are undefined only where the reading has a fault. */
type Read<T> = { [Name in keyof T]: T[Name] | undefined };

interface Reader<T> {
  descriptions: readonly Description[];
  read(variables: VariablesOfVersion): Read<T>;
}

/** A path that means the same thing wherever the process was started. */
const absolutePath: Parser<string> = {
  forms: 'an absolute path, such as /usr/lib/softhsm/libsofthsm2.so',
  parse: (value) =>
    value.startsWith('/') || /^[A-Za-z]:\\/.test(value) ? { value } : { wrong: 'is not absolute' },
};

/** A part of a path of Vault's API. */
const vaultName: Parser<string> = {
  forms: 'letters, digits and `-`, `_`, `.`, with `/` between parts',
  parse: (value) =>
    /^[\w.-]+(\/[\w.-]+)*$/.test(value) && !/(^|\/)\.{1,2}(\/|$)/.test(value)
      ? { value }
      : { wrong: 'has other characters' },
};
const vaultAddress = url('http', 'https');
const defaultMount = 'transit';

const describe = (name: string, about: string, { forms }: Parser<unknown>, unset = 'unset') => ({
  name,
  about,
  forms,
  unset,
});

/** How the variables of each provider are read. */
export const readers: { readonly [Name in ProviderName]: Reader<SettingsOf[Name]> } = {
  pkcs11: {
    descriptions: [
      describe('PKCS11_MODULE', 'The library of the token, for pkcs11.', absolutePath),
      describe('PKCS11_TOKEN_LABEL', 'The label of the token.', text),
      describe('PKCS11_PIN', "The PIN of the token's user.", text),
      describe('PKCS11_KEY_LABEL', 'The label of the key of version 1.', text),
      describe('PKCS11_KEY_LABEL_V2, …', 'The label of the key of each further version.', text),
    ],
    read: ({ need, suffix }) => ({
      modulePath: need('PKCS11_MODULE', absolutePath),
      tokenLabel: need('PKCS11_TOKEN_LABEL', text),
      keyLabel: need(`PKCS11_KEY_LABEL${suffix}`, text),
      pin: need('PKCS11_PIN', secret(text)),
    }),
  },
  'aws-kms': {
    descriptions: [
      describe('AWS_KMS_KEY_ID', 'The HMAC key of version 1, for aws-kms: its id, ARN or alias.', text),
      describe('AWS_KMS_KEY_ID_V2, …', 'The HMAC key of each further version.', text),
      describe('AWS_KMS_ENDPOINT', "In place of AWS's own, such as a VPC endpoint.", vaultAddress),
    ],
    read: ({ need, may, suffix }) => ({
      keyId: need(`AWS_KMS_KEY_ID${suffix}`, text),
      endpoint: may('AWS_KMS_ENDPOINT', vaultAddress),
    }),
  },
  'vault-transit': {
    descriptions: [
      describe('VAULT_ADDR', 'Vault or OpenBao, for vault-transit.', vaultAddress),
      describe('VAULT_TRANSIT_KEY', 'The name of the key of version 1.', vaultName),
      describe('VAULT_TRANSIT_KEY_V2, …', 'The name of the key of each further version.', vaultName),
      describe(
        'VAULT_TRANSIT_MOUNT',
        'Where the transit engine is mounted.',
        vaultName,
        `default ${defaultMount}`,
      ),
      describe('VAULT_NAMESPACE', 'The namespace.', vaultName),
      describe('VAULT_CACERT', 'The CA of VAULT_ADDR, in PEM.', absolutePath, 'those of Node'),
      describe('VAULT_TOKEN', 'A token.', text),
      describe('VAULT_ROLE_ID', 'In place of a token: the role of AppRole.', text),
      describe('VAULT_SECRET_ID', 'The secret of the role.', text),
    ],
    read: (variables) => ({
      address: variables.need('VAULT_ADDR', vaultAddress),
      namespace: variables.may('VAULT_NAMESPACE', vaultName),
      caFile: variables.may('VAULT_CACERT', absolutePath),
      mount: variables.may('VAULT_TRANSIT_MOUNT', vaultName) ?? defaultMount,
      keyName: variables.need(`VAULT_TRANSIT_KEY${variables.suffix}`, vaultName),
      login: readVaultLogin(variables),
    }),
  },
};

function readVaultLogin({ need, isSet, refuse }: VariablesOfVersion): VaultLogin | undefined {
  if (isSet('VAULT_ROLE_ID') && isSet('VAULT_TOKEN')) {
    refuse('VAULT_TOKEN', 'VAULT_TOKEN and VAULT_ROLE_ID are both set. Set one of them.');
    return undefined;
  }
  if (isSet('VAULT_ROLE_ID')) {
    const roleId = need('VAULT_ROLE_ID', text);
    const secretId = need('VAULT_SECRET_ID', secret(text));
    return roleId === undefined || secretId === undefined ? undefined : { roleId, secretId };
  }
  const token = need('VAULT_TOKEN', secret(text));
  return token && { token };
}
