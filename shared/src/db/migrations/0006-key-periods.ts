import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/** The key periods of a content. Without them, every epoch has a key at any time. */
export const keyPeriods: Migration = {
  async up(db: Kysely<unknown>) {
    await addColumns(db, 'contents', { key_periods: 'text' });
  },
};
