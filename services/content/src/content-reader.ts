import type { ContentReader } from '@latchkey/shared/contracts';
import { createColumnCheck, keepQuery, throwDatabaseFault } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader {
  const periods = createColumnCheck('contents', 'key_periods');
  const select = (contentId: string) =>
    db.selectFrom('contents').where('id', '=', contentId).select(['status', 'key_version']);
  const findWithPeriods = keepQuery(db, (contentId) => select(contentId).select('key_periods'));
  // While the migration is pending, no content has periods.
  const findWithout = keepQuery(db, select);
  async function find(contentId: string) {
    const [row] = await ((await periods.isThere(db)) ? findWithPeriods : findWithout)(contentId);
    return row;
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
