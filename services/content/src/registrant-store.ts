import type { Transaction } from './own-tables.ts';

/**
 * The scope of the API key that registered a content.
 *
 * @returns null if it is not known
 */
export async function findRegistrant(tx: Transaction, id: string): Promise<string | null> {
  const row = await tx
    .selectFrom('contents')
    .select('registrant_scope')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.registrant_scope ?? null;
}
