import { type AnyMasterKey, createMasterKey } from '@latchkey/shared/derivation';
import type { KeyDerivationConfig } from './config.ts';
import { namesOfVersion } from './version-names.ts';

/** The master keys of this process, and the versions that it is known to lack. */
export interface MasterKeyRing {
  readonly held: readonly AnyMasterKey[];
  /** @returns null if this process has no key of that version; the version is then noted as missing */
  find(version: number): AnyMasterKey | null;
  /** @returns null if this process has no key of that version. Nothing is noted */
  holds(version: number): AnyMasterKey | null;
  /** Versions that are in use elsewhere, and of which this process has no key. */
  noteMissing(versions: Iterable<number>): void;
  /** For `/ready`: the `versions` of this process, and those that are `missing`, if there are any. */
  facts(): { versions: number[]; missing?: number[] };
}

/**
 * A missing version does not stop the others from being served, but it is reported: content of that version gets no key here. The
 * process notices it at its start. If the version is added later, it notices it at the first request for such content.
 *
 * @param warn is called once for each missing version
 */
export function createMasterKeyRing(
  held: readonly AnyMasterKey[],
  warn: (message: string) => void,
): MasterKeyRing {
  const byVersion = new Map(held.map((masterKey) => [masterKey.version, masterKey]));
  const missing = new Set<number>();

  function noteMissing(versions: Iterable<number>): void {
    const added = [...versions].filter((version) => !missing.has(version));
    if (added.length === 0) return;
    for (const version of added) missing.add(version);
    warn(
      `the database knows a master key of version ${added.join(', ')}, which this process does not have: ` +
        `content of that version gets 503 instead of its keys. Set ${added.map((version) => namesOfVersion(version, 'and')).join('; ')}`,
    );
  }

  return {
    held,
    find(version) {
      const masterKey = byVersion.get(version);
      if (masterKey) return masterKey;
      noteMissing([version]);
      return null;
    },
    holds: (version) => byVersion.get(version) ?? null,
    noteMissing,
    facts: () => ({
      versions: [...byVersion.keys()].sort((a, b) => a - b),
      ...(missing.size > 0 && { missing: [...missing].sort((a, b) => a - b) }),
    }),
  };
}

/** The ring of the master keys that are configured. */
export function openMasterKeyRing(
  values: Pick<KeyDerivationConfig, 'masterKeys'>,
  warn: (message: string) => void,
): MasterKeyRing {
  const held = values.masterKeys
    .reveal()
    .map(({ version, masterKey, salt }) => createMasterKey(version, masterKey, salt));
  return createMasterKeyRing(held, warn);
}
