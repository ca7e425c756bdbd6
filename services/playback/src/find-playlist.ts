import { AppError } from '@latchkey/shared/errors';
import { findChild } from './rewrite/child-names.ts';
import type { RewrittenPlaylist } from './rewrite/playlist.ts';
import type { SourceCache } from './sources/source-cache.ts';
import { SourceRefusal } from './sources/source-refusal.ts';

/** The name of a content's own playlist. The playlists that it lists have names of their own (`rewrite/child-names.ts`). */
const indexName = 'index.m3u8';
/** The statuses of a source after the signature in a URL has ended, or after a playlist has moved. */
const staleStatuses = [401, 403, 404, 410];

/**
 * The playlist of a content by its name.
 *
 * @param start the content's `playlistUrl`
 * @param name as the path of a session has it
 * @throws AppError NOT_FOUND for a name that the content does not list; what `SourceCache.get` throws
 */
export async function findPlaylist(
  sources: SourceCache,
  start: URL,
  name: string,
): Promise<RewrittenPlaylist> {
  if (name === indexName) return sources.get(start, null);
  // A client that follows one variant does not need the list of them again. So it may be old.
  let index = sources.last(start) ?? (await sources.get(start, null));
  let url = findChild(index.children, name);
  if (!url) {
    index = await sources.get(start, null);
    url = findChild(index.children, name);
  }
  if (!url) throw new AppError('NOT_FOUND', { detail: 'The content lists no playlist of that name.' });
  try {
    return await sources.get(url, { url: start, playlist: index });
  } catch (fault) {
    if (!(fault instanceof SourceRefusal) || !staleStatuses.includes(fault.status)) throw fault;
    const renewed = await sources.refresh(start);
    const signedAnew = findChild(renewed.children, name);
    if (!signedAnew || signedAnew.href === url.href) throw fault;
    return sources.get(signedAnew, { url: start, playlist: renewed });
  }
}
