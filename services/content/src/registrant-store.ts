import { createColumnCheck } from '@latchkey/shared/db';
import type { Transaction } from './own-tables.ts';

/**
 * The scope of the API key that registered a content.
 *
 * @returns null if it is not known: contents from before migration 0015 have none
 */
export async function findRegistrant(tx: Transaction, id: string): Promise<string | null> {
  if (!(await hasRegistrants(tx))) return null;
  const row = await tx
    .selectFrom('contents')
    .select('registrant_scope')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.registrant_scope ?? null;
}

/** Whether scopes can be stored: not while migration 0015 is pending. */
export function hasRegistrants(tx: Transaction): Promise<boolean> {
  return createColumnCheck('contents', 'registrant_scope').isThere(tx);
}
