import type { Database } from '@latchkey/shared/db';
import { deriveFingerprint, type MasterKey } from '@latchkey/shared/derivation';

/** The master keys of this process are not the ones that this database's content was encrypted with. */
export class MasterKeyMismatch extends Error {
  readonly versions: readonly number[];

  /** @param missingFrom where no key was found at all: the file in which the first run kept them */
  constructor(versions: readonly number[], missingFrom?: string) {
    const list = versions.join(', ');
    super(
      missingFrom === undefined
        ? `The master key of version ${list} is not the one that this database knows: ${versions.map(namesOf).join('; ')} differs. ` +
            'Every key it would serve would be wrong, so none is. Put the former values back, or name the database that goes with these.'
        : `This database knows a master key of version ${list}, but none is set and ${missingFrom} has none. ` +
            'A new one would not open what is there. Put that file back, or set MASTER_KEY_HEX and SALT_HEX to the former values.',
    );
    this.name = 'MasterKeyMismatch';
    this.versions = versions;
  }
}

function namesOf(version: number): string {
  const suffix = version === 1 ? '' : `_V${version}`;
  return `MASTER_KEY_HEX${suffix} or SALT_HEX${suffix}`;
}

/** The versions that the database has seen in use. */
export async function knownKeyVersions(db: Database): Promise<number[]> {
  const rows = await db.selectFrom('key_versions').select('version').orderBy('version').execute();
  return rows.map(({ version }) => version);
}

/**
 * Compares each master key with the fingerprint of its first use, and stores it where this is the first use.
 *
 * @throws MasterKeyMismatch naming every version that differs
 */
export async function checkMasterKeys(
  db: Database,
  masterKeys: Iterable<MasterKey>,
  now: number,
): Promise<void> {
  const differing: number[] = [];
  for (const masterKey of masterKeys) {
    const fingerprint = deriveFingerprint(masterKey);
    const { version } = masterKey;
    await db
      .insertInto('key_versions')
      .values({ version, fingerprint, first_used_at: now })
      .onConflict((conflict) => conflict.column('version').doNothing())
      .execute();
    // Read back and not assumed: another process may have been first, with another key.
    const stored = await db
      .selectFrom('key_versions')
      .select('fingerprint')
      .where('version', '=', version)
      .executeTakeFirstOrThrow();
    if (stored.fingerprint !== fingerprint) differing.push(version);
  }
  if (differing.length > 0) throw new MasterKeyMismatch(differing);
}
