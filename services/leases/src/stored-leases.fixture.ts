import { randomUUID } from 'node:crypto';
import type { LeaseTable } from '@latchkey/shared/db';
import type { DatabaseKind, TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach } from 'vitest';
import type { Lease } from './lease.ts';
import type { Database, Transaction } from './own-tables.ts';

/** As many as fit into one statement of either database. */
const rowsAtOnce = 1_000;

/** A lease of the viewer `ann` for the content `film`, neither renewed nor revoked. */
export function makeLease(facts: Partial<Lease> & Pick<Lease, 'createdAt' | 'expiresAt'>): Lease {
  return {
    ...{ id: randomUUID(), viewerId: 'ann', contentId: 'film', deviceId: null },
    ...{ renewedAt: null, revokedAt: null, revokedBy: null, reason: null },
    ...facts,
  };
}

/**
 * Writes rows of leases without the service, for tests that need many.
 *
 * @param factsOf what the nth row has. The others are for the viewers `v0`, `v1`, … and the content `film`
 * @returns the rows
 */
export async function insertLeases(
  db: Database | Transaction,
  count: number,
  factsOf: (n: number) => Partial<LeaseTable> & Pick<LeaseTable, 'created_at' | 'expires_at'>,
) {
  const rows = Array.from({ length: count }, (_, n) => {
    const named = { id: randomUUID(), viewer_id: `v${n}`, content_id: 'film' };
    return { ...named, device_id: null, revoked_at: null, revoked_by: null, ...factsOf(n) };
  });
  for (let start = 0; start < count; start += rowsAtOnce)
    await db
      .insertInto('leases')
      .values(rows.slice(start, start + rowsAtOnce))
      .execute();
  return rows;
}

/** A database of its own for each test of the suite. */
export function openForEachTest({ open }: Pick<DatabaseKind, 'open'>): { readonly db: Database } {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());
  return {
    get db() {
      return database.db;
    },
  };
}
