import type { KeyVersionRegistry } from '@latchkey/shared/contracts';
import { deriveFingerprint } from '@latchkey/shared/derivation';
import { AppError } from '@latchkey/shared/errors';
import type { MasterKeyRing } from './master-key-ring.ts';
import { namesOfVersion } from './version-names.ts';

/** The master keys of this process are not the ones that this database's content was encrypted with. */
export class MasterKeyMismatch extends Error {
  readonly versions: readonly number[];
  /** Its message is for the operator, without a stack. */
  readonly forOperator = true;
  /** Retrying does not help. */
  readonly final = true;

  /** @param missingFrom the file in which the first run kept the keys, if no key was found at all */
  constructor(versions: readonly number[], missingFrom?: string) {
    const list = versions.join(', ');
    super(
      missingFrom === undefined
        ? `The master key of version ${list} is not the one that this database knows: ${versions.map((version) => namesOfVersion(version, 'or')).join('; ')} differs. ` +
            'Every key it would serve would be wrong, so none is. Put the former values back, or name the database that goes with these.'
        : `This database knows a master key of version ${list}, but none is set and ${missingFrom} has none. ` +
            'A new one would not open the existing content. Put that file back, or set MASTER_KEY_HEX and SALT_HEX to the former values.',
    );
    this.name = 'MasterKeyMismatch';
    this.versions = versions;
  }
}

/** The provider of a version of the master key does not answer, so it cannot be known whether it is the right one. */
class MasterKeyUnreachable extends Error {
  /** Its message is for the operator, without a stack. */
  readonly forOperator = true;

  constructor(version: number, cause: unknown) {
    const why = (cause instanceof AppError && cause.call?.why) || String(cause);
    super(`The provider of the master key of version ${version} does not answer: ${why}.`);
    this.name = 'MasterKeyUnreachable';
  }
}

/**
 * Compares each master key with the first key of its version, and notes the versions that are in use and that this process lacks.
 *
 * @throws MasterKeyMismatch naming every version that differs; MasterKeyUnreachable
 */
export async function checkMasterKeys(
  registry: KeyVersionRegistry,
  masterKeys: MasterKeyRing,
): Promise<void> {
  const fingerprints = new Map<number, string>();
  for (const masterKey of masterKeys.held) {
    const fingerprint = await deriveFingerprint(masterKey).catch((error: unknown) => {
      throw new MasterKeyUnreachable(masterKey.version, error);
    });
    fingerprints.set(masterKey.version, fingerprint);
  }
  const { differing, missing } = await registry.compare(fingerprints);
  if (differing.length > 0) throw new MasterKeyMismatch(differing);
  masterKeys.noteMissing(missing);
  masterKeys.fingerprints = fingerprints;
}
