import { createMasterKey, deriveContentKey, type MasterKey } from '@latchkey/shared/derivation';
import type { ContentKeySource } from '../encrypt/content-key-source.ts';
import { refusal } from '../refusal.ts';
import { readVariable, type Variables } from './variables.ts';

/** Derives content keys on this machine from the master key. The server must know the content too. */
export function createMasterKeySource(masterKey: MasterKey): ContentKeySource {
  return {
    prepare: async () => {},
    get: async ({ contentId, epoch }) => deriveContentKey(masterKey, contentId, epoch),
  };
}

/** The pair of variables that holds a version of the master key (`docs/reference/contract.md#master-key-versions`). */
export function masterKeyNames(version: number): { key: string; salt: string } {
  const suffix = version === 1 ? '' : `_V${version}`;
  return { key: `MASTER_KEY_HEX${suffix}`, salt: `SALT_HEX${suffix}` };
}

/** Versions of which the key or the salt is set, ascending. */
export function masterKeyVersions(variables: Variables): number[] {
  const versions = Object.entries(variables).flatMap(([name, value]) => {
    const match = /^(?:MASTER_KEY_HEX|SALT_HEX)(?:_V(\d{1,9}))?(?:_FILE)?$/.exec(name);
    return match && value?.trim() ? [Number(match[1] ?? 1)] : [];
  });
  return [...new Set(versions)].sort((a, b) => a - b);
}

/**
 * Reads one version of the master key.
 *
 * @param version default: the highest, which the server uses for content registered now
 * @throws AppError `VALIDATION_FAILED` that names the variable
 */
export function readMasterKey(
  variables: Variables,
  version = masterKeyVersions(variables).at(-1) ?? 1,
): MasterKey {
  const { key, salt } = masterKeyNames(version);
  return createMasterKey(version, readBytes(variables, key), readBytes(variables, salt));
}

function readBytes(variables: Variables, name: string): Buffer {
  const value = readVariable(variables, name);
  if (value === undefined)
    throw refusal(`${name} is not set; accepted: 64 hex digits, here or in ${name}_FILE`);
  // The value is a secret, so the message has its length only.
  if (!/^[0-9a-f]{64}$/i.test(value)) {
    throw refusal(`${name} has ${value.length} characters or others than hex; accepted: 64 hex digits`);
  }
  return Buffer.from(value, 'hex');
}
