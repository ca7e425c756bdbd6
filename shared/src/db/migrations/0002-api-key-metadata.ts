import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Data of its owner for each API key, such as a ticket or a team: JSON as text, null for none. */
export const apiKeyMetadata: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('api_keys').addColumn('metadata', 'text').execute();
  },
};
