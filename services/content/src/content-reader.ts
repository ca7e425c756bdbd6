import type { ContentReader } from '@latchkey/shared/contracts';
import { createColumnCheck, throwDatabaseFault } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader {
  const periods = createColumnCheck('contents', 'key_periods');
  async function find(contentId: string) {
    const select = db.selectFrom('contents').where('id', '=', contentId);
    // While the migration is pending, no content has periods.
    return (await periods.isThere(db))
      ? select.select(['status', 'key_version', 'key_periods']).executeTakeFirst()
      : select.select(['status', 'key_version']).executeTakeFirst();
  }
  return {
    async findContent(contentId) {
      const row = await find(contentId).catch(throwDatabaseFault);
      if (!row) return null;
      const stored = (row as { key_periods?: string | null }).key_periods ?? null;
      return {
        status: row.status === 'active' ? 'active' : 'disabled',
        keyVersion: row.key_version,
        keyPeriods: stored === null ? null : JSON.parse(stored),
      };
    },
  };
}
