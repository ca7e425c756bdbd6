import type { ImportedKeyName } from '../contracts/index.ts';

/**
 * The cache key of an imported key. It has the revision of the content's imported keys, so an entry never becomes wrong: after a change the
 * content has another revision, and its keys have other names.
 */
export function importedKeyName(contentId: string, epoch: number | undefined, revision: number): string {
  return epoch === undefined ? `${revision} ${contentId}` : `${revision} ${contentId}/${epoch}`;
}

/** A content id has neither white space nor a slash. */
export function splitImportedKey(name: string): ImportedKeyName {
  const [contentId = '', epoch] = name.slice(name.indexOf(' ') + 1).split('/');
  return { contentId, epoch: epoch === undefined ? null : Number(epoch) };
}
