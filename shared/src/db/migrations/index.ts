import type { Migration } from 'kysely/migration';
import { initial } from './0001-initial.ts';

/** In order of their names. A migration that was released is never edited. */
export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
};
