import type { MediaReference } from '../hls/media-playlist.ts';
import { isInitializationSection } from './initialization-section.ts';
import type { Rendition } from './load-presentation.ts';
import type { MediaLocations } from './locate-media.ts';

/** Which EXT-X-MAP of a rendition may stay in the clear. */
export interface ClearMaps {
  readonly clearMaps: ReadonlySet<MediaReference>;
  /** One sentence for each that may not. */
  readonly warnings: readonly string[];
}

/** @param locations where the bytes of the rendition are */
export async function findClearMaps({ playlist }: Rendition, locations: MediaLocations): Promise<ClearMaps> {
  const clearMaps = new Set<MediaReference>();
  const warnings = new Map<string, string>();
  // A live stream with many breaks names the same few sections again and again.
  const known = new Map<string, boolean>();
  for (const { head } of playlist.segments) {
    for (const line of head) {
      const slice = 'map' in line ? locations.get(line.map) : undefined;
      if (!slice || !('map' in line)) continue;
      const id = JSON.stringify(slice);
      const isClear = known.get(id) ?? (await isInitializationSection(slice));
      if (isClear) clearMaps.add(line.map);
      else if (!known.has(id)) {
        const place = `${playlist.playlist}:${line.map.line}`;
        const name = `"${line.map.uri}" of #EXT-X-MAP`;
        warnings.set(
          id,
          `${place}: ${name} is more than an initialization section, so it is encrypted; VLC does not play that`,
        );
      }
      known.set(id, isClear);
    }
  }
  return { clearMaps, warnings: [...warnings.values()] };
}
