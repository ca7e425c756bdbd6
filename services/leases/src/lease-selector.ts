import type { LeaseSelector } from '@latchkey/shared/contracts';
import type { ExpressionBuilder } from 'kysely';
import type { Schema } from './own-tables.ts';

export type { LeaseSelector };

/** The condition on a row of `leases`; true for every row if nothing is named. */
export function matchesSelector(
  eb: ExpressionBuilder<Schema, 'leases'>,
  { viewerId, contentId }: LeaseSelector,
) {
  return eb.and([
    ...(viewerId === null ? [] : [eb('viewer_id', '=', viewerId)]),
    ...(contentId === null ? [] : [eb('content_id', '=', contentId)]),
  ]);
}
