import { type CustodianSettings, providerOf, suffixOf } from './custodians.ts';
import { secret } from './parsers.ts';
import type { Rule } from './read-config.ts';
import { Secret } from './secret.ts';
import { hexKey } from './secret-parsers.ts';
import type { Fault, Source } from './source.ts';
import { readText, type Setting } from './variable.ts';

/** One configured version of the master key: key and salt have 32 bytes each. */
export interface MasterKeyMaterial {
  readonly version: number;
  readonly masterKey: Buffer;
  readonly salt: Buffer;
}

const keyName = 'MASTER_KEY_HEX';
const saltName = 'SALT_HEX';
/** Far more versions than one deployment rotates through, and few enough to write in a name. */
const highestVersion = 999;

/**
 * Reads `MASTER_KEY_HEX` with `SALT_HEX` (version 1), `MASTER_KEY_HEX_V2` with `SALT_HEX_V2` and so on, each also as
 * `…_FILE`. The versions come in rising order; the list is empty where none is set. Versions may be left out, except
 * version 1: the content that was registered first still needs it.
 */
export const masterKeys: Setting<Secret<readonly MasterKeyMaterial[]>> = {
  descriptions: [
    describe(keyName, 'The master key, version 1. Losing it, or its salt, loses all encrypted content.'),
    describe(saltName, 'The salt that goes with the master key, version 1.'),
    describe(`${keyName}_V2, …_V${highestVersion}`, 'Further versions; new content takes the highest.'),
    describe(`${saltName}_V2, …_V${highestVersion}`, 'The salt of each further version.'),
  ],
  read(source) {
    const { versions, faults } = findVersions(source);
    const keys: MasterKeyMaterial[] = [];
    for (const version of versions) {
      const read = readVersion(version, source);
      if ('faults' in read) faults.push(...read.faults);
      else keys.push(read);
    }
    if (versions.length > 0 && versions[0] !== 1 && (providerOf(1, source) ?? 'env') === 'env') {
      const message = `${keyName} and ${saltName} are not set, though a later version is. Keep version 1: content that was registered with it needs it.`;
      faults.push({ variable: keyName, message });
    }
    return faults.length > 0 ? { faults, warnings: [] } : { value: new Secret(keys), faults, warnings: [] };
  },
};

/**
 * A process that derives keys cannot work without a master key. The first run of a single node has made one before this
 * check.
 */
export const masterKeyRule: Rule<{
  masterKeys?: Secret<readonly MasterKeyMaterial[]>;
  custodians?: readonly CustodianSettings[];
}> = {
  uses: ['masterKeys', 'custodians'],
  check({ masterKeys: keys, custodians = [] }) {
    if (custodians.length > 0 || (keys && keys.reveal().length > 0)) return [];
    const message =
      'MASTER_KEY_HEX and SALT_HEX are not set; only a single node outside of production makes its own. ' +
      'Make them once with `npx latchkey keygen`, keep them safe, and set both. Accepted: 64 hex digits each. ' +
      'Or name the vault that holds the key in MASTER_KEY_PROVIDER.';
    return [{ variable: keyName, message }];
  },
};

function describe(name: string, about: string) {
  return { name, about, forms: hexKey.forms, unset: 'unset' };
}

/** The versions that any variable of the family names, in rising order, and a fault for each name that fits no version. */
function findVersions(source: Source): { versions: number[]; faults: Fault[] } {
  const versions = new Set<number>();
  const faults: Fault[] = [];
  for (const name of source.names) {
    const match = /^(MASTER_KEY_HEX|SALT_HEX|MASTER_KEY_PROVIDER)(?:_V(.*?))?(?:_FILE)?$/.exec(name);
    if (!match) continue;
    const [, variable, digits] = match;
    const isVersion = digits === undefined || (/^[1-9][0-9]{0,2}$/.test(digits) && digits !== '1');
    if (isVersion && variable === 'MASTER_KEY_PROVIDER') continue;
    if (isVersion) versions.add(Number(digits ?? 1));
    else {
      const message = `${name} names no version. Accepted: ${keyName} and ${saltName}, or MASTER_KEY_PROVIDER, for version 1, then _V2 to _V${highestVersion}.`;
      faults.push({ variable: name, message });
    }
  }
  return { versions: [...versions].sort((a, b) => a - b), faults };
}

function readVersion(version: number, source: Source): MasterKeyMaterial | { faults: readonly Fault[] } {
  const suffix = suffixOf(version);
  const key = readHalf(`${keyName}${suffix}`, `${saltName}${suffix}`, source);
  const salt = readHalf(`${saltName}${suffix}`, `${keyName}${suffix}`, source);
  if (key.value && salt.value) return { version, masterKey: key.value.reveal(), salt: salt.value.reveal() };
  return { faults: [...key.faults, ...salt.faults] };
}

function readHalf(name: string, other: string, source: Source) {
  const found = source.find(name);
  if (found && 'text' in found) return readText(name, secret(hexKey), found);
  const message = `${name} is not set, but ${other} is: a master key and its salt go together. Accepted: ${hexKey.forms}.`;
  return { value: undefined, faults: [found ?? { variable: name, message }] };
}
