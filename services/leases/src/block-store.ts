import type { ExpressionBuilder } from 'kysely';
import type { Database, Schema, Transaction } from './own-tables.ts';

/** A viewer that gets no key, lease or session, whatever its token: `docs/reference/contract.md#blocks`. Times are milliseconds since 1970. */
export interface Block {
  viewerId: string;
  blockedAt: number;
  /** Null: until it is lifted. */
  until: number | null;
  reason: string | null;
}

/** Names a block in the order of the list. */
export type BlockPlace = Pick<Block, 'blockedAt' | 'viewerId'>;

const columns = [
  'viewer_id as viewerId',
  'blocked_at as blockedAt',
  'blocked_until as until',
  'reason',
] as const;

/** All SQL that writes and lists blocks. `findMarkState` reads them for decisions. A block that has ended is as good as removed. */
export class BlockStore {
  readonly #db: Database | Transaction;

  constructor(db: Database | Transaction) {
    this.#db = db;
  }

  /** Blocks a viewer, or replaces its block. */
  async put({ viewerId, blockedAt, until, reason }: Block): Promise<void> {
    const facts = { blocked_at: blockedAt, blocked_until: until, reason };
    await this.#db
      .insertInto('viewer_blocks')
      .values({ viewer_id: viewerId, ...facts })
      .onConflict((conflict) => conflict.column('viewer_id').doUpdateSet(facts))
      .execute();
  }

  /** @returns null if the viewer is not blocked at `now` */
  async find(viewerId: string, now: number): Promise<Block | null> {
    const found = await this.#holding(now).where('viewer_id', '=', viewerId).executeTakeFirst();
    return found ?? null;
  }

  /** @returns the blocks of these viewers that hold at `now`, by the viewer */
  async findAll(viewerIds: readonly string[], now: number): Promise<Map<string, Block>> {
    const found = await this.#holding(now).where('viewer_id', 'in', viewerIds).execute();
    return new Map(found.map((block) => [block.viewerId, block]));
  }

  /**
   * The blocks that hold at `now`, newest first.
   *
   * @param after the last block of the page before; null for the first page
   */
  list(now: number, { limit, after }: { limit: number; after: BlockPlace | null }): Promise<Block[]> {
    const isBefore = (eb: ExpressionBuilder<Schema, 'viewer_blocks'>, { blockedAt, viewerId }: BlockPlace) =>
      eb(eb.refTuple('blocked_at', 'viewer_id'), '<', eb.tuple(blockedAt, viewerId));
    return this.#holding(now)
      .$if(after !== null, (query) => query.where((eb) => isBefore(eb, after as BlockPlace)))
      .orderBy('blocked_at', 'desc')
      .orderBy('viewer_id', 'desc')
      .limit(limit)
      .execute();
  }

  async lift(viewerId: string): Promise<void> {
    await this.#db.deleteFrom('viewer_blocks').where('viewer_id', '=', viewerId).execute();
  }

  #holding(now: number) {
    return this.#db
      .selectFrom('viewer_blocks')
      .select(columns)
      .where((eb) => eb.or([eb('blocked_until', 'is', null), eb('blocked_until', '>', now)]));
  }
}
