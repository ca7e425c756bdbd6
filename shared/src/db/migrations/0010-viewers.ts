import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes for the pages of viewers: the marks that name a content, and viewers by the beginning of their id. */
export const viewers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('marks_by_content_id_marked_at')
      .ifNotExists()
      .on('marks')
      .columns(['content_id', 'marked_at'])
      .execute();
    // SQLite compares bytes, so its index by viewer and time serves as well. Most collations of Postgres do not keep the texts with the
    // same beginning together.
    if (db.getExecutor().adapter.supportsTransactionalDdl !== true) return;
    await db.schema
      .createIndex('leases_by_viewer_id_bytes')
      .ifNotExists()
      .on('leases')
      .expression(sql`viewer_id collate "C"`)
      .execute();
  },
};
