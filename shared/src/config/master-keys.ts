import type { z } from 'zod';
import { formOf, hexKey, oneOf, secret, text, textUnless } from './forms.ts';
import { Secret } from './secret.ts';
import { describe, type Family, type Report, readVariable } from './settings.ts';
import type { Fault, Source } from './source.ts';
import { url } from './url-forms.ts';

/** One configured version of the master key: key and salt have 32 bytes each. */
export interface MasterKeyMaterial {
  readonly version: number;
  readonly masterKey: Buffer;
  readonly salt: Buffer;
}

/** A path that means the same thing wherever the process was started. */
const absolutePath = textUnless('an absolute path, such as /usr/lib/softhsm/libsofthsm2.so', (value) =>
  value.startsWith('/') || /^[A-Za-z]:\\/.test(value) ? undefined : 'is not absolute',
);
/** A part of a path of Vault's API. */
const vaultName = textUnless('letters, digits and `-`, `_`, `.`, with `/` between parts', (value) =>
  /^[\w.-]+(\/[\w.-]+)*$/.test(value) && !/(^|\/)\.{1,2}(\/|$)/.test(value)
    ? undefined
    : 'has other characters',
);
const provider = oneOf('env', 'pkcs11', 'aws-kms', 'vault-transit');

const keyVariables = {
  MASTER_KEY_HEX: secret(hexKey)
    .optional()
    .describe('The master key, version 1. Losing it, or its salt, loses all encrypted content.'),
  SALT_HEX: secret(hexKey).optional().describe('The salt that goes with the master key, version 1.'),
};

/** A provider needs each of its variables that is not optional and has no default. */
const providerVariables = {
  MASTER_KEY_PROVIDER: provider.default('env').describe('Where version 1 of the master key lives.'),
  PKCS11_MODULE: absolutePath.describe('The library of the token, for pkcs11.'),
  PKCS11_TOKEN_LABEL: text.describe('The label of the token.'),
  PKCS11_PIN: secret(text).describe("The PIN of the token's user."),
  PKCS11_KEY_LABEL: text.describe('The label of the key of version 1.'),
  AWS_KMS_KEY_ID: text.describe('The HMAC key of version 1, for aws-kms: its id, ARN or alias.'),
  AWS_KMS_ENDPOINT: url('http', 'https')
    .optional()
    .describe("In place of AWS's own, such as a VPC endpoint."),
  VAULT_ADDR: url('http', 'https').describe('Vault or OpenBao, for vault-transit.'),
  VAULT_TRANSIT_KEY: vaultName.describe('The name of the key of version 1.'),
  VAULT_TRANSIT_MOUNT: vaultName.default('transit').describe('Where the transit engine is mounted.'),
  VAULT_NAMESPACE: vaultName.optional().describe('The namespace.'),
  VAULT_CACERT: absolutePath
    .optional()
    .describe('The CA of VAULT_ADDR, in PEM. Unset: the CAs that Node knows.'),
  VAULT_TOKEN: secret(text).describe('A token. Its file is read again when it is refused.'),
  VAULT_ROLE_ID: text.optional().describe('In place of a token: the role of AppRole.'),
  VAULT_SECRET_ID: secret(text).describe('The secret of the role.'),
};

/** Variables that each version has, such as `SALT_HEX_V2`, and what they are for the further versions. */
const ofEachVersion: Readonly<Record<string, string>> = {
  MASTER_KEY_HEX: 'Further versions; new content takes the highest.',
  SALT_HEX: 'The salt of each further version.',
  MASTER_KEY_PROVIDER: 'Where each further version lives.',
  PKCS11_KEY_LABEL: 'The label of the key of each further version.',
  AWS_KMS_KEY_ID: 'The HMAC key of each further version.',
  VAULT_TRANSIT_KEY: 'The name of the key of each further version.',
};
/** Far more versions than one deployment rotates through, and few enough to write in a name. */
const highestVersion = 999;

/** `SALT_HEX_V2` for version 2, and `SALT_HEX` for version 1. */
const nameOf = (variable: string, version: number) =>
  version === 1 || !(variable in ofEachVersion) ? variable : `${variable}_V${version}`;

const describeFamily = (variables: Readonly<Record<string, z.ZodType>>) =>
  Object.entries(variables).flatMap(([name, schema]) => {
    const { unset, ...line } = describe(name, schema);
    // Only the provider that is named needs them.
    const first = { ...line, unset: unset === 'required' ? 'unset' : unset, isShown: false };
    const about = ofEachVersion[name];
    if (about === undefined) return [first];
    return [first, { ...first, about, name: `${name}_V2, …_V${highestVersion}`, unset: 'unset' }];
  });

/**
 * Reads `MASTER_KEY_HEX` with `SALT_HEX` (version 1), `MASTER_KEY_HEX_V2` with `SALT_HEX_V2` and so on, each also as
 * `…_FILE`. The versions come in rising order; the list is empty where none is set. Versions may be left out, except
 * version 1: the content that was registered first still needs it.
 */
export const masterKeys: Family<Secret<readonly MasterKeyMaterial[]>> = {
  descriptions: describeFamily(keyVariables),
  read(source) {
    const names = findNames(source);
    const faults = names.flatMap(({ name, version }): Fault[] => {
      const accepted = `MASTER_KEY_HEX and SALT_HEX, or MASTER_KEY_PROVIDER, for version 1, then _V2 to _V${highestVersion}`;
      if (version !== null) return [];
      return [{ variable: name, message: `${name} names no version. Accepted: ${accepted}.` }];
    });
    const versions = versionsOf(names, (variable) => variable in keyVariables);
    const keys = versions.flatMap((version): MasterKeyMaterial[] => {
      const [masterKey, salt] = readKey(version, source, faults);
      return masterKey && salt ? [{ version, masterKey: masterKey.reveal(), salt: salt.reveal() }] : [];
    });
    const first = source.find('MASTER_KEY_PROVIDER');
    if (versions.length > 0 && versions[0] !== 1 && (!first || !('text' in first) || first.text === 'env')) {
      const message =
        'MASTER_KEY_HEX and SALT_HEX are not set, though a later version is. Keep version 1: content that was registered with it needs it.';
      faults.push({ variable: 'MASTER_KEY_HEX', message });
    }
    return { value: new Secret(keys), faults };
  },
};

function readKey(version: number, source: Source, faults: Fault[]) {
  const names = [nameOf('MASTER_KEY_HEX', version), nameOf('SALT_HEX', version)];
  return names.map((name, index) => {
    const whyNeeded = `but ${names[1 - index]} is: a master key and its salt go together`;
    const reading = readVariable(name, secret(hexKey), source, whyNeeded);
    faults.push(...reading.faults);
    return reading.value;
  });
}

interface VersionedName {
  name: string;
  variable: string;
  /** Null for a name that fits no version, such as `SALT_HEX_V1`. */
  version: number | null;
}

function findNames(source: Source): VersionedName[] {
  return source.names.flatMap((name) => {
    const match = /^(MASTER_KEY_HEX|SALT_HEX|MASTER_KEY_PROVIDER)(?:_V(.*?))?(?:_FILE)?$/.exec(name);
    if (!match) return [];
    const [, variable = '', digits] = match;
    const isVersion = digits === undefined || (/^[1-9][0-9]{0,2}$/.test(digits) && digits !== '1');
    return [{ name, variable, version: isVersion ? Number(digits ?? 1) : null }];
  });
}

/** In rising order. */
function versionsOf(names: readonly VersionedName[], isWanted: (variable: string) => boolean): number[] {
  const wanted = names.flatMap(({ variable, version }) => (version && isWanted(variable) ? [version] : []));
  return [...new Set(wanted)].sort((a, b) => a - b);
}

/** How a process gets its Vault token. */
export type VaultLogin =
  | {
      readonly token: Secret<string>;
      /** The program that writes this file, such as Vault Agent, puts newer tokens there. */
      readonly tokenFile: string | undefined;
    }
  | { readonly roleId: string; readonly secretId: Secret<string> };

type Read = <N extends keyof typeof providerVariables>(name: N) => z.output<(typeof providerVariables)[N]>;

/** Where the extracted key of one version lives, by provider. AWS's own variables and files name its region and credentials. */
const readers = {
  pkcs11: (read: Read) => ({
    modulePath: read('PKCS11_MODULE'),
    tokenLabel: read('PKCS11_TOKEN_LABEL'),
    keyLabel: read('PKCS11_KEY_LABEL'),
    pin: read('PKCS11_PIN'),
  }),
  'aws-kms': (read: Read) => ({ keyId: read('AWS_KMS_KEY_ID'), endpoint: read('AWS_KMS_ENDPOINT') }),
  'vault-transit': (read: Read, source: Source) => ({
    address: read('VAULT_ADDR'),
    namespace: read('VAULT_NAMESPACE'),
    caFile: read('VAULT_CACERT'),
    mount: read('VAULT_TRANSIT_MOUNT'),
    keyName: read('VAULT_TRANSIT_KEY'),
    login: readVaultLogin(read, source),
  }),
};

function readVaultLogin(read: Read, source: Source): VaultLogin {
  const roleId = read('VAULT_ROLE_ID');
  if (source.find('VAULT_ROLE_ID')) return { roleId: roleId ?? '', secretId: read('VAULT_SECRET_ID') };
  return {
    token: read('VAULT_TOKEN'),
    tokenFile: readVariable('VAULT_TOKEN_FILE', text.optional(), source).value,
  };
}

type SettingsOf = { [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]> };

/** Where one version of the master key lives, if it is not in the environment. */
export type CustodianSettings = {
  [Name in keyof SettingsOf]: { readonly version: number; readonly provider: Name } & Readonly<
    SettingsOf[Name]
  >;
}[keyof SettingsOf];

/**
 * Reads `MASTER_KEY_PROVIDER` (version 1), `MASTER_KEY_PROVIDER_V2` and so on with the variables of each provider. Versions of the
 * provider `env` are left out: `masterKeys` reads them.
 */
export const custodians: Family<readonly CustodianSettings[]> = {
  descriptions: describeFamily(providerVariables),
  read(source) {
    const faults: Fault[] = [];
    const versions = versionsOf(findNames(source), (variable) => variable === 'MASTER_KEY_PROVIDER');
    const value = versions.flatMap((version) => readCustodian(version, source, faults));
    return { value, faults };
  },
};

/** After a fault, the values are not whole: the caller uses none of them. */
function readCustodian(version: number, source: Source, faults: Fault[]): CustodianSettings[] {
  const providerName = nameOf('MASTER_KEY_PROVIDER', version);
  const read: Read = (variable) => {
    const whyNeeded = `which ${providerName} needs`;
    const schema: z.ZodType = providerVariables[variable];
    const reading = readVariable(nameOf(variable, version), schema, source, whyNeeded);
    faults.push(...reading.faults);
    return reading.value as never;
  };
  const chosen = read('MASTER_KEY_PROVIDER');
  if (chosen === undefined || chosen === 'env') return [];
  const refuse = (name: string, what: string) =>
    void faults.push({ variable: name, message: `${name} ${what}.` });
  for (const name of [nameOf('MASTER_KEY_HEX', version), nameOf('SALT_HEX', version)])
    if (source.find(name))
      refuse(
        name,
        `is set, but ${providerName} is ${chosen}: the key lives there. Remove ${name} from this process`,
      );
  if (chosen === 'vault-transit' && source.find('VAULT_ROLE_ID') && source.find('VAULT_TOKEN'))
    refuse('VAULT_TOKEN', 'and VAULT_ROLE_ID are both set. Set one of them');
  return [{ version, provider: chosen, ...readers[chosen](read, source) } as CustodianSettings];
}

interface MasterKeyValues {
  /** Every process that derives keys listens. `latchkey master-key` does not, and says itself what it lacks. */
  port?: number;
  masterKeys?: Secret<readonly MasterKeyMaterial[]>;
  custodians?: readonly CustodianSettings[];
}

/** A process that derives keys cannot work without a master key. The first run of a single node has made one before this check. */
export function checkMasterKey(
  { port, masterKeys: keys, custodians: others }: MasterKeyValues,
  { refuse }: Report,
): void {
  if (port === undefined || !keys || !others || keys.reveal().length + others.length > 0) return;
  refuse(
    'MASTER_KEY_HEX',
    'and SALT_HEX are not set; only a single node outside of production makes its own. Make them once with `npx latchkey keygen`, keep them safe, and set both. ' +
      `Accepted: ${formOf(hexKey).forms} each. Or name the vault that holds the key in MASTER_KEY_PROVIDER`,
  );
}
