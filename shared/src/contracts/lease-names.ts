/** The leases of a viewer, of a content, or of the pair. At least one of the two is named. */
export interface LeaseSelector {
  viewerId: string | null;
  contentId: string | null;
}

/** What an act on leases names: one lease, or a selector. */
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

const id = String.raw`("(?:[^"\\]|\\.)*"|[^"\s]+)`;
const selector = new RegExp(`^(?:viewer:${id})?(?:(?:^| )content:${id})?$`, 'su');

/** @returns the selector that `describeSelector` describes by this text; null for any other text, such as the id of a lease */
export function readSelector(text: string): LeaseSelector | null {
  const [, viewer, content] = selector.exec(text) ?? [];
  if (viewer === undefined && content === undefined) return null;
  const read = { viewerId: readId(viewer), contentId: readId(content) };
  return describeSelector(read) === text ? read : null;
}

function readId(written: string | undefined): string | null {
  if (written === undefined) return null;
  try {
    return written.startsWith('"') ? (JSON.parse(written) as string) : written;
  } catch {
    return null;
  }
}
