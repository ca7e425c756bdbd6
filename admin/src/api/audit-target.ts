/** The names in a target of the audit: a viewer, a content, or both. */
interface NamedTarget {
  viewerId: string | null;
  contentId: string | null;
}

/** Other IDs are JSON strings in a target (`docs/reference/contract.md#audit`), so that none can be read as the part that follows it. */
const plain = /^[\p{L}\p{M}\p{N}!#-~]+$/u;
const quoteId = (id: string) => (plain.test(id) ? id : JSON.stringify(id));

/** The target of acts on a viewer, a content or the pair, as the server writes it. */
export function describeTarget({ viewerId, contentId }: NamedTarget): string {
  const parts = [
    viewerId === null ? '' : `viewer:${quoteId(viewerId)}`,
    contentId === null ? '' : `content:${quoteId(contentId)}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const id = String.raw`("(?:[^"\\]|\\.)*"|[^"\s]+)`;
const form = new RegExp(`^(?:viewer:${id})?(?:(?:^| )content:${id})?$`, 'su');

/** Null for a target of another form, such as the ID of a lease. */
export function readTarget(target: string): NamedTarget | null {
  const [, viewer, content] = form.exec(target) ?? [];
  if (viewer === undefined && content === undefined) return null;
  try {
    const read = { viewerId: readId(viewer), contentId: readId(content) };
    return describeTarget(read) === target ? read : null;
  } catch {
    return null;
  }
}

function readId(written: string | undefined): string | null {
  if (written === undefined) return null;
  return written.startsWith('"') ? JSON.parse(written) : written;
}
