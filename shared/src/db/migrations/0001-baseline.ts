import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../is-postgres.ts';
import { apiKeyTables, auditPurge, auditTables, usageTables, webhookTables } from './baseline/auth-tables.ts';
import { commonTables } from './baseline/common-tables.ts';
import { contentTables } from './baseline/content-tables.ts';
import { postgres, sqlite } from './baseline/dialects.ts';
import { leaseTables, revocationTables } from './baseline/lease-tables.ts';

/** The whole schema of 0.3.0. `schema.ts` describes the columns. */
export const baseline: Migration = {
  async up(db: Kysely<unknown>) {
    const dialect = isPostgres(db) ? postgres : sqlite;
    const statements = [
      ...apiKeyTables,
      ...auditTables(dialect),
      ...webhookTables,
      ...usageTables(dialect),
      ...leaseTables(dialect),
      ...revocationTables(dialect),
      ...contentTables(dialect),
      ...commonTables(dialect),
      ...(isPostgres(db) ? auditPurge : []),
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
