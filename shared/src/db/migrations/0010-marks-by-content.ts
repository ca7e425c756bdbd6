import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lists the marks that name a content. */
export const marksByContent: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('marks_by_content_id_marked_at')
      .ifNotExists()
      .on('marks')
      .columns(['content_id', 'marked_at'])
      .execute();
  },
};
