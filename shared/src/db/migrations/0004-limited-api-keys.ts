import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The contents that a limited API key names: ids and prefixes as JSON, null for a key of all contents. The scope of a limited key begins
 * with `limited-`, which the release before does not know: it refuses the key, and does not open all contents to it.
 */
export const limitedApiKeys: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('api_keys').addColumn('contents', 'text').execute();
  },
};
