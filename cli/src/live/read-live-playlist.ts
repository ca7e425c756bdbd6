import { splitPlaylist } from '../hls/playlist-lines.ts';
import { inspectTags } from '../hls/refused-tags.ts';
import type { LiveSource, PlaylistVersion } from './live-source.ts';
import { readSourceWindow, type SourceWindow } from './source-window.ts';

/** A live playlist that is read repeatedly. */
export interface LivePlaylist {
  /** Where it was found: in a multivariant playlist, or as it was given. */
  readonly found: string;
  /** Where it is read, after a redirect from there. */
  readonly location: string;
  /**
   * @returns undefined if it has not changed, has no segment, or is being written
   * @throws SourceUnavailable, or AppError `VALIDATION_FAILED` for text that is not a clear playlist
   */
  read(): Promise<SourceWindow | undefined>;
  /** The next read returns it also if it has not changed. */
  forget(): void;
  /** It was found elsewhere. */
  move(found: string): void;
}

export function openLivePlaylist(
  { location: given, file: known }: { location: string; file?: PlaylistVersion | undefined },
  source: LiveSource,
  warn: (text: string) => void,
): LivePlaylist {
  let found = given;
  let location = given;
  let version: string | undefined;
  let cut: Buffer | undefined;
  let unread = known;
  /** Each change of the playlist gives the same warnings. */
  const said = new Set<string>();
  return {
    get found() {
      return found;
    },
    get location() {
      return location;
    },
    async read() {
      const file = unread ?? (await source.readChanged(location, cut ? undefined : version));
      unread = undefined;
      if (!file) return undefined;
      ({ version, location } = file);
      // Some packagers write in place. A line without an end may be half of one, unless it stays so.
      const isCut =
        file.bytes.at(-1) !== 0x0a && !file.bytes.toString('utf8').trimEnd().endsWith('#EXT-X-ENDLIST');
      const isSettled = cut?.equals(file.bytes) ?? false;
      cut = isCut && !isSettled ? file.bytes : undefined;
      if (cut || file.bytes.length === 0) return undefined;
      const text = splitPlaylist(location, file.bytes);
      for (const warning of inspectTags(text)) {
        if (!said.has(warning)) warn(warning);
        said.add(warning);
      }
      return readSourceWindow(text);
    },
    forget() {
      version = undefined;
    },
    move(to) {
      [found, location, version, cut] = [to, to, undefined, undefined];
      said.clear();
    },
  };
}
