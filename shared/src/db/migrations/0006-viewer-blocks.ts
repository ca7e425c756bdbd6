import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Viewers that get nothing, whatever their token. A table of their own and no columns of `marks`: the release before would remove them
 * with a mark that it purges or lifts.
 */
export const viewerBlocks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('viewer_blocks')
      .addColumn('viewer_id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('blocked_at', 'bigint', (c) => c.notNull())
      .addColumn('blocked_until', 'bigint')
      .addColumn('reason', 'text')
      .execute();
    // For the list, newest first.
    await db.schema
      .createIndex('viewer_blocks_by_blocked_at_viewer_id')
      .on('viewer_blocks')
      .columns(['blocked_at', 'viewer_id'])
      .execute();
    // For the purge.
    await db.schema
      .createIndex('viewer_blocks_by_blocked_until')
      .on('viewer_blocks')
      .column('blocked_until')
      .execute();
  },
};
