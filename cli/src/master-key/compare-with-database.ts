import type { Variables } from '../keys/variables.ts';
import { withDatabase } from '../with-database.ts';

/** What the database says of the fingerprint of each version. It writes nothing. */
export async function compareWithDatabase(
  env: Variables,
  fingerprints: ReadonlyMap<number, string>,
): Promise<Map<number, { isRight: boolean; says: string }>> {
  return withDatabase(env, { mayCreate: false }, async (db, name) => {
    const rows = await db.selectFrom('key_versions').select(['version', 'fingerprint']).execute();
    const known = new Map(rows.map((row) => [row.version, row.fingerprint]));
    const judged = [...fingerprints].map(([version, fingerprint]) => {
      const stored = known.get(version);
      if (stored === undefined)
        return [version, { isRight: true, says: `not in use yet in ${name}` }] as const;
      const isRight = stored === fingerprint;
      const says = isRight ? `is the one that ${name} knows` : `is not the one that ${name} knows, ${stored}`;
      return [version, { isRight, says }] as const;
    });
    return new Map(judged);
  });
}
