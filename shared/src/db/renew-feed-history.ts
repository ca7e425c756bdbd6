import type { Database } from './open.ts';
import { createColumnCheck } from './table-check.ts';

/**
 * Says that the rows may be those of an earlier time: every process that follows the change feed then forgets what it has
 * cached. A restore that keeps server and tables, such as one of rows alone, cannot be told otherwise from no restore.
 *
 * @returns whether the schema has room to say so
 * @throws whatever the database says
 */
export async function renewFeedHistory(db: Database, randomId: () => string): Promise<boolean> {
  if (!(await createColumnCheck('change_counter', 'history').isThere(db))) return false;
  await db.updateTable('change_counter').set({ history: randomId() }).where('id', '=', 1).execute();
  return true;
}
