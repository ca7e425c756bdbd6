import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The person whom a proxy with sign-on named, next to the API key that acted; null for none. */
export const auditPerson: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('audit').addColumn('person', 'text').execute();
  },
};
