import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The index by which a creation finds what the viewer holds: its active leases, and the one of the same content and device. Without it, the
 * creation reads every lease of the viewer that is not purged, and a viewer makes thousands in seconds. The code before this migration runs on it,
 * and the code after it runs, more slowly, without.
 *
 * It ends where the expired leases begin, and holds all that these statements compare. As with `0002-list-indexes`, an operator of a large
 * Postgres can make it beforehand with CREATE INDEX CONCURRENTLY, so that no write waits.
 */
export const leaseLookups: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('leases_open_by_viewer_id_expires_at')
      .ifNotExists()
      .on('leases')
      // The column of the condition, too: SQLite would look it up in the row.
      .columns(['viewer_id', 'expires_at', 'content_id', 'device_id', 'created_at', 'id', 'revoked_at'])
      .where('revoked_at', 'is', null)
      .execute();
  },
};
