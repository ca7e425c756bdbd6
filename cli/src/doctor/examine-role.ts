import { type Database, mayReadEveryTable } from '@latchkey/shared/db';
import type { Finding } from './finding.ts';

/**
 * Whether one role does the work of all services: a hole in one of them then reaches the rows of all.
 *
 * @param db a Postgres that separate services in production share
 * @param about names the variable and the database
 */
export async function examineRole(db: Database, about: string): Promise<Finding> {
  if (!(await mayReadEveryTable(db)))
    return { state: 'ok', about, says: 'is reached by a role that does not see every table' };
  return {
    state: 'warning',
    about,
    says: 'is reached by one role that sees the tables of all services: a hole in one service would open all of them',
    mend: 'npx latchkey migrate --roles, then give auth, content and leases a DATABASE_URL with their own roles; migrate keeps this one (docs/database-roles.md)',
  };
}
