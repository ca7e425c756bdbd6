import type { Transaction } from './own-tables.ts';

/** The one row of the table. */
const claimId = 1;

/**
 * Makes everyone who creates an API key take turns until the end of the transaction: on Postgres by the lock of the
 * claim's row, which the first caller makes, on SQLite because there is one writer at a time anyway. What is read
 * afterwards in the same transaction holds until its end.
 *
 * @param now milliseconds since 1970
 */
export async function lockSetupClaim(tx: Transaction, now: number): Promise<void> {
  await tx
    .insertInto('setup_claim')
    .values({ id: claimId, touched_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ touched_at: now }))
    .execute();
}
