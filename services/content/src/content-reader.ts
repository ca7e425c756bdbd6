import type { ContentBatchReader, ContentReader, ContentState } from '@latchkey/shared/contracts';
import { createColumnCheck, keepQuery, rowList, throwDatabaseFault } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/** Columns of `contents` that migrations added after the first, in their order. */
const addedColumns = ['key_periods', 'playlist_url', 'imported_keys_revision'] as const;

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader & ContentBatchReader {
  const columns = ['status', 'key_version'] as const;
  const checks = addedColumns.map((column) => createColumnCheck('contents', column));
  const select = (contentId: string) => db.selectFrom('contents').where('id', '=', contentId).select(columns);
  // While a migration is pending, no content has what it adds.
  const findWith = [...addedColumns.keys(), addedColumns.length].map((count) =>
    keepQuery(db, (contentId) => select(contentId).select(addedColumns.slice(0, count))),
  );
  /** The added columns that are there: the last one is looked for first, because migrations come in their order. */
  async function countAdded(): Promise<number> {
    let count = addedColumns.length;
    while (count > 0 && !(await checks[count - 1]?.isThere(db))) count -= 1;
    return count;
  }
  async function find(contentId: string): Promise<StateRow | undefined> {
    return (await findWith[await countAdded()]?.(contentId))?.[0];
  }
  async function findMany(contentIds: readonly string[]) {
    const given = rowList(
      db,
      { asked: 'text' } as const,
      contentIds.map((asked) => ({ asked })),
    ).as('given');
    const added = addedColumns.slice(0, await countAdded());
    return db
      .selectFrom('contents')
      .where('id', 'in', db.selectFrom(given).select('asked'))
      .select(['id', ...columns, ...added])
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

interface StateRow {
  status: string;
  key_version: number;
  key_periods?: string | null;
  playlist_url?: string | null;
  imported_keys_revision?: number | null;
}

function toState(row: StateRow): ContentState {
  const stored = row.key_periods ?? null;
  const playlistUrl = row.playlist_url ?? null;
  const revision = row.imported_keys_revision ?? null;
  return {
    status: row.status === 'active' ? 'active' : 'disabled',
    keyVersion: row.key_version,
    keyPeriods: stored === null ? null : JSON.parse(stored),
    ...(playlistUrl === null ? {} : { playlistUrl }),
    ...(revision === null ? {} : { importedKeysRevision: revision }),
  };
}
