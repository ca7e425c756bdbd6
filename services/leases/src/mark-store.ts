import { anyId as any, type NamedBy } from '@latchkey/shared/db';
import { type ExpressionBuilder, sql } from 'kysely';
import type { LeaseSelector } from './lease-selector.ts';
import type { Mark } from './mark.ts';
import type { Database, Schema, Transaction } from './own-tables.ts';

/** All SQL on the table `marks`. */
export class MarkStore {
  readonly #db: Database | Transaction;

  constructor(db: Database | Transaction) {
    this.#db = db;
  }

  /** Marks what the selector names. A mark only moves forward: of two revocations the later one holds. */
  async mark({ viewerId, contentId }: LeaseSelector, at: number): Promise<void> {
    await this.#db
      .insertInto('marks')
      .values({ viewer_id: viewerId ?? any, content_id: contentId ?? any, marked_at: at })
      .onConflict((conflict) =>
        conflict
          .columns(['viewer_id', 'content_id'])
          .doUpdateSet({ marked_at: (eb) => eb.ref('excluded.marked_at') })
          .whereRef('marks.marked_at', '<', 'excluded.marked_at'),
      )
      .execute();
  }

  /**
   * The marks that name what the selector names, newest first. All, if it names nothing.
   *
   * @param after the last mark of the page before; null for the first page
   * @param within only marks that name a content of these
   */
  async list(
    { viewerId, contentId }: LeaseSelector,
    { limit, after, within }: { limit: number; after: Mark | null; within?: NamedBy | undefined },
  ): Promise<Mark[]> {
    const isBefore = (eb: ExpressionBuilder<Schema, 'marks'>, mark: Mark) =>
      eb(
        eb.refTuple('marked_at', 'viewer_id', 'content_id'),
        '<',
        eb.tuple(mark.markedAt, mark.viewerId ?? any, mark.contentId ?? any),
      );
    const rows = await this.#db
      .selectFrom('marks')
      .select(['viewer_id', 'content_id', 'marked_at'])
      .$if(after !== null, (query) => query.where((eb) => isBefore(eb, after as Mark)))
      .$if(viewerId !== null, (query) => query.where('viewer_id', '=', viewerId ?? any))
      .$if(contentId !== null, (query) => query.where('content_id', '=', contentId ?? any))
      .$if(within !== undefined, (query) => query.where((within as NamedBy)(sql.ref('marks.content_id'))))
      .orderBy('marked_at', 'desc')
      .orderBy('viewer_id', 'desc')
      .orderBy('content_id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      viewerId: row.viewer_id === any ? null : row.viewer_id,
      contentId: row.content_id === any ? null : row.content_id,
      markedAt: row.marked_at,
    }));
  }

  /**
   * The times of the latest marks that name these viewers, by the viewer. A viewer without one is missing.
   *
   * @param within only marks that name a content of these
   */
  async findLatest(viewerIds: readonly string[], within: NamedBy | undefined): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom('marks')
      .select((eb) => ['viewer_id as viewerId', eb.fn.max('marked_at').as('markedAt')])
      .where('viewer_id', 'in', viewerIds)
      .$if(within !== undefined, (query) => query.where((within as NamedBy)(sql.ref('marks.content_id'))))
      .groupBy('viewer_id')
      .execute();
    return new Map(rows.map(({ viewerId, markedAt }) => [viewerId, markedAt]));
  }

  /** @returns whether it was there. One that a later revocation has moved forward is another mark */
  async lift({ viewerId, contentId, markedAt }: Mark): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('marks')
      .where('viewer_id', '=', viewerId ?? any)
      .where('content_id', '=', contentId ?? any)
      .where('marked_at', '=', markedAt)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }
}
