import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/** What an act changed and why. Without it, a row only says that something was done. */
export const auditDetails: Migration = {
  async up(db: Kysely<unknown>) {
    await addColumns(db, 'audit', { details: 'text' });
  },
};
