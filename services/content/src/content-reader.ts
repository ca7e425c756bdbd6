import type { ContentBatchReader, ContentReader, ContentState } from '@latchkey/shared/contracts';
import { createColumnCheck, keepQuery, rowList, throwDatabaseFault } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader & ContentBatchReader {
  const periods = createColumnCheck('contents', 'key_periods');
  const columns = ['status', 'key_version'] as const;
  const select = (contentId: string) => db.selectFrom('contents').where('id', '=', contentId).select(columns);
  const findWithPeriods = keepQuery(db, (contentId) => select(contentId).select('key_periods'));
  // While the migration is pending, no content has periods.
  const findWithout = keepQuery(db, select);
  async function find(contentId: string) {
    const [row] = await ((await periods.isThere(db)) ? findWithPeriods : findWithout)(contentId);
    return row;
  }
  async function findMany(contentIds: readonly string[]) {
    const given = rowList(
      db,
      { asked: 'text' } as const,
      contentIds.map((asked) => ({ asked })),
    ).as('given');
    const hasPeriods = await periods.isThere(db);
    return db
      .selectFrom('contents')
      .where('id', 'in', db.selectFrom(given).select('asked'))
      .select(['id', ...columns])
      .$if(hasPeriods, (query) => query.select('key_periods'))
      .execute();
  }
  return {
    async findContent(contentId) {
      const row = await find(contentId).catch(throwDatabaseFault);
      return row ? toState(row) : null;
    },
    async findContents(contentIds) {
      const rows = await findMany(contentIds).catch(throwDatabaseFault);
      const found = new Map(rows.map((row) => [row.id, toState(row)]));
      return contentIds.map((id) => found.get(id) ?? null);
    },
  };
}

function toState(row: { status: string; key_version: number; key_periods?: string | null }): ContentState {
  const stored = row.key_periods ?? null;
  return {
    status: row.status === 'active' ? 'active' : 'disabled',
    keyVersion: row.key_version,
    keyPeriods: stored === null ? null : JSON.parse(stored),
  };
}
