import type { Clock } from '@latchkey/shared/clock';
import type { KeyVersionRegistry } from '@latchkey/shared/contracts';
import type { Database } from '@latchkey/shared/db';

/** The versions that the database has seen in use, rising. */
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
        await db
          .insertInto('key_versions')
          .values({ version, fingerprint, first_used_at: clock.now() })
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
      return differing;
    },
  };
}
