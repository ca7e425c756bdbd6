import type { Database, Transaction } from './open.ts';

/** Means any viewer or any content in a mark or a revocation: no viewer or content has an empty id. */
export const anyId = '';

/**
 * The time of the latest mark on the viewer, the content or the pair; milliseconds since 1970, null where there is none.
 *
 * The lease service owns and writes marks. The content service reads them directly, because the lease service calls the
 * content service, and service calls form no cycle.
 */
export async function findLatestMark(
  db: Database | Transaction,
  viewerId: string,
  contentId: string,
): Promise<number | null> {
  const row = await db
    .selectFrom('marks')
    .select((eb) => eb.fn.max<number | null>('marked_at').as('at'))
    .where((eb) =>
      eb.or([
        eb.and([eb('viewer_id', '=', viewerId), eb('content_id', 'in', [anyId, contentId])]),
        eb.and([eb('viewer_id', '=', anyId), eb('content_id', '=', contentId)]),
      ]),
    )
    .executeTakeFirst();
  return row?.at ?? null;
}
