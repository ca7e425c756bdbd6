import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/** Keys that exist already, wrapped, and how often those of a content were changed. */
export const importedKeys: Migration = {
  async up(db: Kysely<unknown>) {
    await addColumns(db, 'contents', { imported_keys_revision: 'bigint' });
    await db.schema
      .createTable('imported_keys')
      .ifNotExists()
      .addColumn('content_id', 'text', (c) => c.notNull())
      // -1 for the key without an epoch: a part of a primary key cannot be null.
      .addColumn('epoch', 'bigint', (c) => c.notNull())
      .addColumn('wrapped_key', 'text', (c) => c.notNull())
      .addColumn('imported_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('imported_keys_pk', ['content_id', 'epoch'])
      .execute();
  },
};
