import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/**
 * Distinguishes one history of the change feed from another. A database that was restored, or a standby that took over without
 * the last transactions, gives numbers out again for other changes.
 */
export const feedHistory: Migration = {
  async up(db: Kysely<unknown>) {
    // The counter first, as services use the two tables: the other way round, the two would wait for each other.
    // Renewed by `latchkey migrate`, which is to be run after a restore.
    await addColumns(db, 'change_counter', { history: 'text' });
    // Each row has a random id, and the id of the row before it.
    await addColumns(db, 'changes', { id: 'text', previous: 'text' });
  },
};
