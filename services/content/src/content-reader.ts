import type { ContentBatchReader, ContentReader, ContentState } from '@latchkey/shared/contracts';
import { type ContentTable, keepQuery, rowList, throwDatabaseFault } from '@latchkey/shared/db';
import type { Selectable } from 'kysely';
import type { Database } from './own-tables.ts';

const columns = ['status', 'key_version', 'key_periods', 'playlist_url', 'imported_keys_revision'] as const;
type StateRow = Pick<Selectable<ContentTable>, (typeof columns)[number]>;

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader & ContentBatchReader {
  const find = keepQuery(db, (contentId) =>
    db.selectFrom('contents').where('id', '=', contentId).select(columns),
  );
  function findMany(contentIds: readonly string[]) {
    const given = rowList(
      db,
      { asked: 'text' } as const,
      contentIds.map((asked) => ({ asked })),
    ).as('given');
    return db
      .selectFrom('contents')
      .where('id', 'in', db.selectFrom(given).select('asked'))
      .select(['id', ...columns])
      .execute();
  }
  return {
    async findContent(contentId) {
      const [row] = await find(contentId).catch(throwDatabaseFault);
      return row ? toState(row) : null;
    },
    async findContents(contentIds) {
      const rows = await findMany(contentIds).catch(throwDatabaseFault);
      const found = new Map(rows.map((row) => [row.id, toState(row)]));
      return contentIds.map((id) => found.get(id) ?? null);
    },
  };
}

function toState(row: StateRow): ContentState {
  const { key_periods: periods, playlist_url: playlistUrl, imported_keys_revision: revision } = row;
  return {
    status: row.status === 'active' ? 'active' : 'disabled',
    keyVersion: row.key_version,
    keyPeriods: periods === null ? null : JSON.parse(periods),
    ...(playlistUrl === null ? {} : { playlistUrl }),
    ...(revision === null ? {} : { importedKeysRevision: revision }),
  };
}
