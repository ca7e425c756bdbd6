import type { ContentReader } from '@latchkey/shared/contracts';
import { isDatabaseUnavailable } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import type { Database } from './own-tables.ts';

/** The registry for other services. It reads the rows on every call. */
export function createContentReader({ db }: { db: Database }): ContentReader {
  return {
    async findContent(contentId) {
      try {
        const row = await db
          .selectFrom('contents')
          .select(['status', 'key_version'])
          .where('id', '=', contentId)
          .executeTakeFirst();
        if (!row) return null;
        return { status: row.status === 'active' ? 'active' : 'disabled', keyVersion: row.key_version };
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        throw new AppError('DEPENDENCY_UNAVAILABLE', { cause: error });
      }
    },
  };
}
