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
 * The last migration without which this code does not run; later ones may be pending. To be moved with the code that needs
 * one, and no earlier than a release after the one that brought it: the two then run side by side.
 */
export const neededMigration = '0002-list-indexes';

/**
 * Migrations that take something away, by name, each with the release whose code was the first to do without it: a release
 * before the migration's own.
 */
export const contractions: Readonly<Record<string, string>> = {};
