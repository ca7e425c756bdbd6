import { type CustodianSettings, readers, type VaultLogin } from './custodian-readers.ts';
import { oneOf, type Parser } from './parsers.ts';
import type { Fault, Source } from './source.ts';
import { readText, type Setting } from './variable.ts';

export type { CustodianSettings, VaultLogin };

const providerName = 'MASTER_KEY_PROVIDER';
const provider = oneOf('env', 'pkcs11', 'aws-kms', 'vault-transit');

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
    {
      name: `${providerName}_V2, …`,
      about: 'Where each further version lives.',
      forms: provider.forms,
      unset: 'unset',
    },
    ...Object.values(readers).flatMap(({ descriptions }) => descriptions),
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
  function may<T>(name: string, type: Parser<T>): T | undefined {
    const found = source.find(name);
    if (!found) return undefined;
    if (!('text' in found)) {
      faults.push(found);
      return undefined;
    }
    const { value, faults: own } = readText(name, type, found);
    faults.push(...own);
    return value;
  }
  function need<T>(name: string, type: Parser<T>): T | undefined {
    if (source.find(name)) return may(name, type);
    const message = `${name} is not set, which ${providerName}${suffix} needs. Accepted: ${type.forms}.`;
    faults.push({ variable: name, message });
    return undefined;
  }
  const chosen = need(`${providerName}${suffix}`, provider);
  if (chosen === undefined || chosen === 'env') return { faults };
  for (const name of [`MASTER_KEY_HEX${suffix}`, `SALT_HEX${suffix}`]) {
    if (!source.find(name)) continue;
    const message = `${name} is set, but ${providerName}${suffix} is ${chosen}: the key lives there. Remove ${name} from this process.`;
    faults.push({ variable: name, message });
  }
  const isSet = (name: string) => source.find(name) !== undefined;
  const refuse = (variable: string, message: string) => void faults.push({ variable, message });
  const value = readers[chosen].read({ suffix, need, may, isSet, refuse });
  if (faults.length > 0) return { faults };
  return { value: { version, provider: chosen, ...value } as CustodianSettings, faults };
}
