import type { ContentReader } from '@latchkey/shared/contracts';
import { throwDatabaseFault } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader {
  return {
    async findContent(contentId) {
      const row = await db
        .selectFrom('contents')
        .select(['status', 'key_version'])
        .where('id', '=', contentId)
        .executeTakeFirst()
        .catch(throwDatabaseFault);
      if (!row) return null;
      return { status: row.status === 'active' ? 'active' : 'disabled', keyVersion: row.key_version };
    },
  };
}
