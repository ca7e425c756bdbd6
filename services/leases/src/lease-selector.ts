import type { ExpressionBuilder } from 'kysely';
import type { Schema } from './own-tables.ts';

/** The leases of a viewer, of a content, or of the pair. At least one of the two is named. */
export interface LeaseSelector {
  viewerId: string | null;
  contentId: string | null;
}

/** The selector as the audit keeps it. */
export function describeSelector({ viewerId, contentId }: LeaseSelector): string {
  const parts = [
    viewerId === null ? '' : `viewer:${viewerId}`,
    contentId === null ? '' : `content:${contentId}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

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
