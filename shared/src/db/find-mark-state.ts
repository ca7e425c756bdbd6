import type { MarkState } from '../contracts/index.ts';
import type { Database, Transaction } from './open.ts';

/** Means any viewer or any content in a mark or a revocation: no viewer or content has an empty id. */
export const anyId = '';

/** A mark, whose `at` is its time, or a block, whose `at` is its end. */
export const markRow = 0;
export const blockRow = 1;

interface MarkRow {
  at: number | null;
  kind: number;
}

/** @param rows the marks that cover a viewer and a content, and the block of the viewer */
export function toMarkState(rows: readonly MarkRow[]): MarkState | null {
  let markedAt: number | null = null;
  let block: MarkRow | null = null;
  for (const row of rows) {
    if (row.kind === blockRow) block = row;
    else markedAt = Math.max(row.at ?? 0, markedAt ?? 0);
  }
  return block === null ? markedAt : { markedAt, blockedUntil: block.at };
}

/**
 * The latest mark on the viewer, the content or the pair, and the block of the viewer; null if there is neither.
 *
 * The lease service owns and writes them. The content service reads them directly, because the lease service calls the
 * content service, and service calls form no cycle.
 */
export async function findMarkState(
  db: Database | Transaction,
  viewerId: string,
  contentId: string,
): Promise<MarkState | null> {
  const rows = await db
    .selectFrom('marks')
    .select((eb) => [
      eb.ref('marked_at').$castTo<number | null>().as('at'),
      eb.lit<number>(markRow).as('kind'),
    ])
    .where((eb) =>
      eb.or([
        eb.and([eb('viewer_id', '=', viewerId), eb('content_id', 'in', [anyId, contentId])]),
        eb.and([eb('viewer_id', '=', anyId), eb('content_id', '=', contentId)]),
      ]),
    )
    .unionAll(
      db
        .selectFrom('viewer_blocks')
        .select((eb) => ['blocked_until as at', eb.lit<number>(blockRow).as('kind')])
        .where('viewer_id', '=', viewerId),
    )
    .execute();
  return toMarkState(rows);
}
