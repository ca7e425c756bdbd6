import type { Transaction } from './own-tables.ts';

/** The one row of the table. */
const claimId = 1;

/**
 * Lets transactions that create API keys take turns, until the end of this one. On Postgres they lock the claim's row, which the
 * first caller makes. SQLite has one writer at a time anyway. Later reads of the same transaction hold until its end.
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
