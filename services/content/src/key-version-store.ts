import type { Clock } from '@latchkey/shared/clock';
import type { KeyVersionRegistry } from '@latchkey/shared/contracts';
import { throwDatabaseFault } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/** The versions in use, ascending. */
export async function knownKeyVersions(db: Database): Promise<number[]> {
  const rows = await db.selectFrom('key_versions').select('version').orderBy('version').execute();
  return rows.map(({ version }) => version);
}

/** The registry in the process that owns the rows. */
export function createKeyVersionRegistry({ db, clock }: { db: Database; clock: Clock }): KeyVersionRegistry {
  return {
    async compare(fingerprints) {
      const differing: number[] = [];
      for (const [version, fingerprint] of fingerprints) {
        const stored = await storeFirst(db, version, fingerprint, clock.now()).catch(throwDatabaseFault);
        if (stored !== fingerprint) differing.push(version);
      }
      const known = await knownKeyVersions(db).catch(throwDatabaseFault);
      return { differing, missing: known.filter((version) => !fingerprints.has(version)) };
    },
  };
}

/** @returns the fingerprint of the version's first use: the one given, or an earlier one */
async function storeFirst(
  db: Database,
  version: number,
  fingerprint: string,
  firstUsedAt: number,
): Promise<string> {
  await db
    .insertInto('key_versions')
    .values({ version, fingerprint, first_used_at: firstUsedAt })
    .onConflict((conflict) => conflict.column('version').doNothing())
    .execute();
  // Reads the row back: another process may have been first, with another key.
  const row = await db
    .selectFrom('key_versions')
    .select('fingerprint')
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  return row.fingerprint;
}
