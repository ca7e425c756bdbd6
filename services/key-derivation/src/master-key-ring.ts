import { type AnyMasterKey, createMasterKey } from '@latchkey/shared/derivation';
import { Degraded } from '@latchkey/shared/lifecycle';
import { addCustodianMetrics } from '@latchkey/shared/metrics';
import type { ProcessBase } from '@latchkey/shared/process';
import type { KeyDerivationConfig } from './config.ts';
import { type CustodiedVersion, openCustodians } from './custody/open-custodians.ts';
import { namesOfVersion } from './version-names.ts';

/** The master keys of this process, and the versions that it is known to lack. */
export interface MasterKeyRing {
  readonly held: readonly AnyMasterKey[];
  /** Whether another system holds one of them. */
  readonly isCustodied: boolean;
  /** Version → fingerprint of each, once they were checked. See `deriveFingerprint`. */
  fingerprints: ReadonlyMap<number, string>;
  /** @returns null if this process has no key of that version; the version is then noted as missing */
  find(version: number): AnyMasterKey | null;
  /** @returns null if this process has no key of that version. Nothing is noted */
  holds(version: number): AnyMasterKey | null;
  /** Versions that are in use elsewhere, and of which this process has no key. */
  noteMissing(versions: Iterable<number>): void;
  /**
   * For `/ready`: the `versions` of this process, the `missing` versions if there are any, and the `providers` of the versions that it does
   * not hold itself.
   *
   * @throws Degraded while a provider does not answer: keys that are kept are served
   */
  check(): Promise<Record<string, unknown>>;
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
  custodied: readonly CustodiedVersion[] = [],
): MasterKeyRing {
  const all = [...held, ...custodied.map(({ masterKey }) => masterKey)];
  const byVersion = new Map(all.map((masterKey) => [masterKey.version, masterKey]));
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
    held: all,
    isCustodied: custodied.length > 0,
    fingerprints: new Map(),
    find(version) {
      const masterKey = byVersion.get(version);
      if (masterKey) return masterKey;
      noteMissing([version]);
      return null;
    },
    holds: (version) => byVersion.get(version) ?? null,
    noteMissing,
    async check() {
      const facts = {
        versions: [...byVersion.keys()].sort((a, b) => a - b),
        ...(missing.size > 0 && { missing: [...missing].sort((a, b) => a - b) }),
        ...(custodied.length > 0 && { providers: providersOf(custodied) }),
      };
      const away = await findAway(custodied);
      if (!away) return facts;
      const { masterKey, provider, why } = away;
      const message = `the master key of version ${masterKey.version} is at ${provider}, which does not answer: ${why}`;
      throw new Degraded(message, { ...facts, unavailable: masterKey.version });
    },
  };
}

function providersOf(custodied: readonly CustodiedVersion[]): Record<number, string> {
  return Object.fromEntries(custodied.map(({ masterKey, provider }) => [masterKey.version, provider]));
}

async function findAway(custodied: readonly CustodiedVersion[]) {
  const checked = await Promise.all(
    custodied.map(async (each) => {
      try {
        await each.calls.check();
        return null;
      } catch (error) {
        return { ...each, why: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  return checked.find((away) => away !== null);
}

/**
 * The ring of the master keys that are configured.
 *
 * @throws CustodianFault if a provider's package is missing
 */
export async function openMasterKeyRing(
  values: Pick<KeyDerivationConfig, 'masterKeys' | 'custodians'>,
  { clock, log, shutdown, registry }: Pick<ProcessBase, 'clock' | 'log' | 'shutdown' | 'registry'>,
): Promise<MasterKeyRing> {
  const held = values.masterKeys
    .reveal()
    .map(({ version, masterKey, salt }) => createMasterKey(version, masterKey, salt));
  const metrics = addCustodianMetrics(registry);
  const custodied = await openCustodians(values.custodians, { clock, log, shutdown, metrics });
  return createMasterKeyRing(held, log.warn, custodied);
}
