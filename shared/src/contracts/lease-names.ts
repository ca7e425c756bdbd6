/** The leases of a viewer, of a content, or of the pair. At least one of the two is named. */
export interface LeaseSelector {
  viewerId: string | null;
  contentId: string | null;
}

/** The leases that an act names: one lease, or a selector. */
export interface LeaseNames extends LeaseSelector {
  leaseId: string | null;
}

/** Letters, digits and visible ASCII without quotes: nearly every id. */
const plain = /^[\p{L}\p{M}\p{N}!#-~]+$/u;

/**
 * An id within a text of several parts. A plain one is written as it is, any other one as a JSON string: so no id can be read as the part
 * that follows it.
 */
export const quoteId = (id: string): string => (plain.test(id) ? id : JSON.stringify(id));

/** The selector as the target of an audit row: `viewer:ada content:film`. Two selectors never give the same text. */
export function describeSelector({ viewerId, contentId }: LeaseSelector): string {
  const parts = [
    viewerId === null ? '' : `viewer:${quoteId(viewerId)}`,
    contentId === null ? '' : `content:${quoteId(contentId)}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
