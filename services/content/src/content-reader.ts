import type { ContentBatchReader, ContentReader, ContentState } from '@latchkey/shared/contracts';
import { createColumnCheck, keepQuery, rowList, throwDatabaseFault } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader & ContentBatchReader {
  const periods = createColumnCheck('contents', 'key_periods');
  const playlists = createColumnCheck('contents', 'playlist_url');
  const columns = ['status', 'key_version'] as const;
  const select = (contentId: string) => db.selectFrom('contents').where('id', '=', contentId).select(columns);
  const findAll = keepQuery(db, (contentId) => select(contentId).select(['key_periods', 'playlist_url']));
  // While a migration is pending, no content has what it adds.
  const findWithPeriods = keepQuery(db, (contentId) => select(contentId).select('key_periods'));
  const findWithout = keepQuery(db, select);
  async function find(contentId: string): Promise<StateRow | undefined> {
    if (await playlists.isThere(db)) return (await findAll(contentId))[0];
    return (await ((await periods.isThere(db)) ? findWithPeriods : findWithout)(contentId))[0];
  }
  async function findMany(contentIds: readonly string[]) {
    const given = rowList(
      db,
      { asked: 'text' } as const,
      contentIds.map((asked) => ({ asked })),
    ).as('given');
    const hasPlaylists = await playlists.isThere(db);
    const hasPeriods = hasPlaylists || (await periods.isThere(db));
    return db
      .selectFrom('contents')
      .where('id', 'in', db.selectFrom(given).select('asked'))
      .select(['id', ...columns])
      .$if(hasPeriods, (query) => query.select('key_periods'))
      .$if(hasPlaylists, (query) => query.select('playlist_url'))
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
}

function toState(row: StateRow): ContentState {
  const stored = row.key_periods ?? null;
  const playlistUrl = row.playlist_url ?? null;
  return {
    status: row.status === 'active' ? 'active' : 'disabled',
    keyVersion: row.key_version,
    keyPeriods: stored === null ? null : JSON.parse(stored),
    ...(playlistUrl === null ? {} : { playlistUrl }),
  };
}
