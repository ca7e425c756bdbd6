import { anyId as any, findLatestMark } from '@latchkey/shared/db';
import type { LeaseSelector } from './lease-selector.ts';
import type { Database, Transaction } from './own-tables.ts';

/** All SQL on the table `marks`. */
export class MarkStore {
  readonly #db: Database | Transaction;

  constructor(db: Database | Transaction) {
    this.#db = db;
  }

  /** As `findLatestMark`. */
  findLatest(viewerId: string, contentId: string): Promise<number | null> {
    return findLatestMark(this.#db, viewerId, contentId);
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
   * Removes marks from before the given time, at most `limit`.
   *
   * @returns how many
   */
  async purge(before: number, limit: number): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('marks')
      .where((eb) =>
        eb(
          eb.refTuple('viewer_id', 'content_id'),
          'in',
          eb
            .selectFrom('marks')
            .select(['viewer_id', 'content_id'])
            .where('marked_at', '<', before)
            .orderBy('marked_at')
            .limit(limit)
            .$asTuple('viewer_id', 'content_id'),
        ),
      )
      // Again, for the mark that a revocation renewed after it was chosen.
      .where('marked_at', '<', before)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}
