import type { Migration } from 'kysely/migration';
import { initial } from './0001-initial.ts';
import { listIndexes } from './0002-list-indexes.ts';
import { feedHistory } from './0003-feed-history.ts';
import { revocations } from './0004-revocations.ts';
import { audit } from './0005-audit.ts';

/** In order of their names. A migration that was released is never edited. */
export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-list-indexes': listIndexes,
  '0003-feed-history': feedHistory,
  '0004-revocations': revocations,
  '0005-audit': audit,
};

/**
 * The last migration without which this code does not run; later ones may be pending. Move it together with the code that
 * needs a later one, and no earlier than one release after the migration: the two releases run side by side.
 */
export const neededMigration = '0002-list-indexes';

/**
 * Migrations that remove something, by name. Each has the first release whose code did without the removed part: a
 * release before the migration's own.
 */
export const contractions: Readonly<Record<string, string>> = {};
