import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/**
 * The scope of the API key that registered a content. A key with the scope `packager` may change the key periods and the playlist of
 * contents that such a key registered. Contents from before have none.
 */
export const contentRegistrant: Migration = {
  async up(db: Kysely<unknown>) {
    await addColumns(db, 'contents', { registrant_scope: 'text' });
  },
};
