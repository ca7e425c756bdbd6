import type { Database } from './open.ts';
import { createColumnCheck } from './table-check.ts';

/**
 * Marks that the rows may come from an earlier time. Every process that follows the change feed then drops its cached
 * states. A restore that keeps server and tables, such as one of rows alone, cannot be detected otherwise.
 *
 * @returns whether the schema has the columns for the mark
 * @throws the database's error
 */
export async function renewFeedHistory(db: Database, randomId: () => string): Promise<boolean> {
  if (!(await createColumnCheck('change_counter', 'history').isThere(db))) return false;
  await db.updateTable('change_counter').set({ history: randomId() }).where('id', '=', 1).execute();
  return true;
}
