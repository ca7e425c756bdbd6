import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/** Playback sessions, and where the playlist of a content is. A lease is a session if it has a row here. */
export const sessions: Migration = {
  async up(db: Kysely<unknown>) {
    await addColumns(db, 'contents', { playlist_url: 'text' });
    await db.schema
      .createTable('sessions')
      .ifNotExists()
      .addColumn('lease_id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('secret_hash', 'text', (c) => c.notNull())
      .addColumn('ttl_ms', 'bigint', (c) => c.notNull())
      .addColumn('ends_at', 'bigint', (c) => c.notNull())
      .addColumn('used_at', 'bigint')
      .execute();
    // For the purge.
    await db.schema
      .createIndex('sessions_by_ends_at')
      .ifNotExists()
      .on('sessions')
      .column('ends_at')
      .execute();
  },
};
