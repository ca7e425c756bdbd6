import { type Place, playlistError } from '../hls/playlist-lines.ts';
import { showUrl } from '../show-url.ts';
import { leadsInside } from './private-network.ts';

/**
 * The URL of a reference in the playlist at `base`.
 *
 * @throws AppError `VALIDATION_FAILED` if it may not be read
 */
export type Locator = (uri: string, base: string, place: Place) => Promise<string>;

/**
 * Media may be at other servers than playlists. But a server outside must not lead into a private network: what only this machine can reach would
 * be published.
 *
 * @param root URL of the first playlist
 */
export function createLocator(root: string): Locator {
  const home = new URL(root);
  const known = new Map<string, Promise<boolean>>([[home.origin, Promise.resolve(false)]]);
  return async (uri, base, place) => {
    const url = URL.canParse(uri, base) ? new URL(uri, base) : undefined;
    if (!url || !/^https?:$/.test(url.protocol))
      throw playlistError(place, `"${showUrl(uri)}" cannot be downloaded; accepted: http and https URLs`);
    url.hash = '';
    const isInside = known.get(url.origin) ?? leadsInside(home, url);
    known.set(url.origin, isInside);
    const reason = await isInside.then(
      (is) => (is ? `is in a private network, into which ${home.origin} may not lead` : undefined),
      () => 'is at a server whose address is not known',
    );
    if (reason !== undefined) throw playlistError(place, `"${showUrl(uri)}" ${reason}`);
    return url.href;
  };
}
