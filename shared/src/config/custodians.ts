import { oneOf, type Parser, secret, text } from './parsers.ts';
import type { Secret } from './secret.ts';
import type { Fault, Source } from './source.ts';
import { readText, type Setting } from './variable.ts';

/** The extracted key of one version of the master key on a PKCS#11 token. */
interface Pkcs11Custodian {
  readonly version: number;
  readonly provider: 'pkcs11';
  readonly modulePath: string;
  readonly tokenLabel: string;
  readonly keyLabel: string;
  readonly pin: Secret<string>;
}

/** Where one version of the master key lives, if it is not in the environment. */
export type CustodianSettings = Pkcs11Custodian;

const providerName = 'MASTER_KEY_PROVIDER';
const provider = oneOf('env', 'pkcs11');
/** A path that means the same thing wherever the process was started. */
const absolutePath: Parser<string> = {
  forms: 'an absolute path, such as /usr/lib/softhsm/libsofthsm2.so',
  parse: (value) =>
    value.startsWith('/') || /^[A-Za-z]:\\/.test(value) ? { value } : { wrong: 'is not absolute' },
};

/** `_V2` for version 2, and nothing for version 1. */
export const suffixOf = (version: number) => (version === 1 ? '' : `_V${version}`);

/** @returns the provider of a version as it is written; undefined where none is named, which means the environment */
export function providerOf(version: number, source: Source): string | undefined {
  const found = source.find(`${providerName}${suffixOf(version)}`);
  return found && 'text' in found ? found.text : undefined;
}

/**
 * Reads `MASTER_KEY_PROVIDER` (version 1), `MASTER_KEY_PROVIDER_V2` and so on with the variables of each provider. Versions of the
 * provider `env` are left out: `masterKeys` reads them.
 */
export const custodians: Setting<readonly CustodianSettings[]> = {
  descriptions: [
    {
      name: providerName,
      about: 'Where version 1 of the master key lives.',
      forms: provider.forms,
      unset: 'default env',
    },
    describe(`${providerName}_V2, …`, 'Where each further version lives.', provider),
    describe('PKCS11_MODULE', 'The library of the token, for pkcs11.', absolutePath),
    describe('PKCS11_TOKEN_LABEL', 'The label of the token.', text),
    describe('PKCS11_PIN', "The PIN of the token's user.", text),
    describe('PKCS11_KEY_LABEL', 'The label of the key of version 1.', text),
    describe('PKCS11_KEY_LABEL_V2, …', 'The label of the key of each further version.', text),
  ],
  read(source) {
    const faults: Fault[] = [];
    const value: CustodianSettings[] = [];
    for (const version of findVersions(source)) {
      const read = readCustodian(version, source);
      faults.push(...read.faults);
      if (read.value) value.push(read.value);
    }
    return faults.length > 0 ? { faults, warnings: [] } : { value, faults, warnings: [] };
  },
};

function describe(name: string, about: string, { forms }: Parser<unknown>) {
  return { name, about, forms, unset: 'unset' };
}

/** The versions that name a provider. A name that fits no version is a fault of `masterKeys`, as of its other variables. */
function findVersions(source: Source): number[] {
  const versions = source.names.flatMap((name) => {
    const match = /^MASTER_KEY_PROVIDER(?:_V([1-9][0-9]{0,2}))?(?:_FILE)?$/.exec(name);
    return match ? [Number(match[1] ?? 1)] : [];
  });
  return [...new Set(versions)].sort((a, b) => a - b);
}

interface Read {
  value?: CustodianSettings;
  faults: readonly Fault[];
}

function readCustodian(version: number, source: Source): Read {
  const suffix = suffixOf(version);
  const faults: Fault[] = [];
  /** A variable that the provider needs. */
  function need<T>(name: string, type: Parser<T>): T | undefined {
    const found = source.find(name);
    if (found && 'text' in found) {
      const { value, faults: own } = readText(name, type, found);
      faults.push(...own);
      return value;
    }
    const message = `${name} is not set, which ${providerName}${suffix} needs. Accepted: ${type.forms}.`;
    faults.push(found ?? { variable: name, message });
    return undefined;
  }
  const chosen = need(`${providerName}${suffix}`, provider);
  if (chosen !== 'pkcs11') return { faults };
  for (const name of [`MASTER_KEY_HEX${suffix}`, `SALT_HEX${suffix}`]) {
    if (!source.find(name)) continue;
    const message = `${name} is set, but ${providerName}${suffix} is ${chosen}: the key lives there. Remove ${name} from this process.`;
    faults.push({ variable: name, message });
  }
  const value = {
    modulePath: need('PKCS11_MODULE', absolutePath),
    tokenLabel: need('PKCS11_TOKEN_LABEL', text),
    keyLabel: need(`PKCS11_KEY_LABEL${suffix}`, text),
    pin: need('PKCS11_PIN', secret(text)),
  };
  if (faults.length > 0) return { faults };
  return { value: { version, provider: chosen, ...value } as Pkcs11Custodian, faults };
}
