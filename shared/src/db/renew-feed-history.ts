import type { Database } from './open.ts';

/**
 * Marks that the rows may come from an earlier time. Every process that follows the change feed then drops its cached
 * states. A restore that keeps server and tables, such as one of rows alone, cannot be detected otherwise.
 *
 * @throws the database's error
 */
export async function renewFeedHistory(db: Database, randomId: () => string): Promise<void> {
  await db.updateTable('change_counter').set({ history: randomId() }).where('id', '=', 1).execute();
}
