import type { LeaseSelector } from '@latchkey/shared/contracts';
import type { NamedBy } from '@latchkey/shared/db';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Schema } from './own-tables.ts';

export type { LeaseSelector };

/** The leases of a selector that a caller may see. */
export interface SeenLeases extends LeaseSelector {
  /** The contents that exist for a limited API key. */
  within?: NamedBy | undefined;
}

/** The condition on a row of `leases`; true for every row if nothing is named. */
export function matchesSelector(
  eb: ExpressionBuilder<Schema, 'leases'>,
  { viewerId, contentId, within }: SeenLeases,
) {
  return eb.and([
    ...(viewerId === null ? [] : [eb('viewer_id', '=', viewerId)]),
    ...(contentId === null ? [] : [eb('content_id', '=', contentId)]),
    ...(within ? [within(sql.ref('leases.content_id'))] : []),
  ]);
}
