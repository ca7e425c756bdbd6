import {
  type MapTag,
  type MediaPlaylist,
  type MediaSegment,
  parseMediaPlaylist,
} from '../hls/media-playlist.ts';
import { type PlaylistText, playlistError, splitPlaylist } from '../hls/playlist-lines.ts';
import { inspectTags } from '../hls/refused-tags.ts';
import type { LiveSource, PlaylistVersion } from './live-source.ts';

/** One segment of a live playlist, with what applies to it. */
export interface SourceSegment extends Omit<MediaSegment, 'head'> {
  /** EXT-X-MEDIA-SEQUENCE of the playlist, counted on. */
  readonly number: number;
  /** EXT-X-DISCONTINUITY stands before it. */
  readonly discontinuity: boolean;
  /** When it begins, by EXT-X-PROGRAM-DATE-TIME: milliseconds since 1970. */
  readonly programTime: number | undefined;
  /** Seconds from its beginning to the end of the playlist. */
  readonly secondsToEnd: number;
  /** The EXT-X-MAP in force. */
  readonly map: MapTag | undefined;
  /** Its other lines, EXTINF among them. */
  readonly lines: readonly string[];
}

/** A live playlist as it is at one moment, with a segment at least. */
export interface SourceWindow {
  readonly header: WindowHeader;
  /** EXT-X-DISCONTINUITY-SEQUENCE: discontinuities before the first segment (RFC 8216 section 6.2.2). */
  readonly discontinuitySequence: number;
  readonly firstNumber: number;
  readonly lastNumber: number;
  readonly segments: readonly SourceSegment[];
  /** EXT-X-ENDLIST: nothing will be added. */
  readonly ended: boolean;
}

export interface WindowHeader extends Pick<MediaPlaylist, 'version' | 'iFramesOnly' | 'targetSeconds'> {
  /** Other lines that apply to the whole playlist. */
  readonly lines: readonly string[];
}

/** Tags of the whole playlist that are written anew. */
const countedTags = [
  ...['EXTM3U', 'EXT-X-TARGETDURATION', 'EXT-X-MEDIA-SEQUENCE', 'EXT-X-DISCONTINUITY-SEQUENCE'],
  'EXT-X-ENDLIST',
];
/** Tags that apply to the whole playlist (RFC 8216 section 4.3.3 and 4.3.5). Any other belongs to the next segment. */
const playlistTags = new Set([
  ...countedTags,
  ...['EXT-X-PLAYLIST-TYPE', 'EXT-X-I-FRAMES-ONLY', 'EXT-X-INDEPENDENT-SEGMENTS', 'EXT-X-START'],
  'EXT-X-ALLOW-CACHE',
]);

/**
 * Reads a live playlist.
 *
 * @returns undefined for a playlist that has no segment yet
 * @throws AppError `VALIDATION_FAILED` with the line
 */
function readSourceWindow(text: PlaylistText): SourceWindow | undefined {
  if (!text.lines.some(({ kind }) => kind === 'uri')) return undefined;
  const playlist = parseMediaPlaylist(text);
  const firstNumber = Number(playlist.mediaSequence);
  const lastNumber = firstNumber + playlist.segments.length - 1;
  if (lastNumber >= Number.MAX_SAFE_INTEGER) {
    throw playlistError(
      text,
      `#EXT-X-MEDIA-SEQUENCE:${playlist.mediaSequence} is too large; accepted: up to 2^53`,
    );
  }
  const whole = text.lines.filter(({ tag }) => playlistTags.has(tag));
  const lines = whole.filter(({ tag }) => !countedTags.includes(tag)).map((line) => line.text);
  const discontinuity = whole.find(({ tag }) => tag === 'EXT-X-DISCONTINUITY-SEQUENCE')?.value ?? '';
  const { version, iFramesOnly, targetSeconds, ended } = playlist;
  return {
    header: { version, iFramesOnly, targetSeconds, lines },
    discontinuitySequence: Number.parseFloat(discontinuity) || 0,
    ...{ firstNumber, lastNumber, segments: readSegments(playlist), ended },
  };
}

function readSegments(playlist: MediaPlaylist): SourceSegment[] {
  const first = Number(playlist.mediaSequence);
  let map: MapTag | undefined;
  let nextTime: number | undefined;
  let secondsToEnd = playlist.segments.reduce((sum, { seconds }) => sum + seconds, 0);
  return playlist.segments.map(({ head, ...own }, index) => {
    const { seconds } = own;
    const texts = head.flatMap((item) => ('map' in item || playlistTags.has(item.tag) ? [] : [item]));
    const discontinuity = texts.some(({ tag }) => tag === 'EXT-X-DISCONTINUITY');
    if (discontinuity) nextTime = undefined;
    for (const item of head) if ('map' in item) map = item.map;
    const date = texts.find(({ tag }) => tag === 'EXT-X-PROGRAM-DATE-TIME')?.value.trim() ?? '';
    const stated = Date.parse(date);
    const programTime = Number.isNaN(stated) ? nextTime : stated;
    nextTime = programTime === undefined ? undefined : programTime + seconds * 1_000;
    const kept = texts.filter(({ tag, text }) => tag !== 'EXT-X-DISCONTINUITY' && text.trim() !== '');
    const lines = kept.map(({ text }) => text);
    const segment = { ...own, number: first + index, discontinuity, programTime, secondsToEnd, map, lines };
    secondsToEnd -= seconds;
    return segment;
  });
}

/** A live playlist that is read repeatedly. */
export type LivePlaylist = ReturnType<typeof openLivePlaylist>;

export function openLivePlaylist(
  { location: given, file: known }: { location: string; file?: PlaylistVersion | undefined },
  source: LiveSource,
  warn: (text: string) => void,
) {
  const place = {
    /** In a multivariant playlist, or as it was given. */
    found: given,
    /** Where it is read, after a redirect from there. */
    location: given,
  };
  let version: string | undefined;
  let cut: Buffer | undefined;
  let unread = known;
  /** Each change of the playlist gives the same warnings. */
  const said = new Set<string>();
  return {
    place,
    /**
     * @returns undefined if it has not changed, has no segment, or is being written
     * @throws SourceUnavailable, or AppError `VALIDATION_FAILED` for text that is not a clear playlist
     */
    async read(): Promise<SourceWindow | undefined> {
      const file = unread ?? (await source.readChanged(place.location, cut ? undefined : version));
      unread = undefined;
      if (!file) return undefined;
      version = file.version;
      place.location = file.location;
      // Some packagers write in place. A line without an end may be half of one, unless it stays so.
      const isCut =
        file.bytes.at(-1) !== 0x0a && !file.bytes.toString('utf8').trimEnd().endsWith('#EXT-X-ENDLIST');
      const isSettled = cut?.equals(file.bytes) ?? false;
      cut = isCut && !isSettled ? file.bytes : undefined;
      if (cut || file.bytes.length === 0) return undefined;
      const text = splitPlaylist(file.location, file.bytes);
      for (const warning of inspectTags(text)) {
        if (!said.has(warning)) warn(warning);
        said.add(warning);
      }
      return readSourceWindow(text);
    },
    /** The next read returns it also if it has not changed. */
    forget() {
      version = undefined;
    },
    /** It was found elsewhere. */
    move(to: string) {
      Object.assign(place, { found: to, location: to });
      [version, cut] = [undefined, undefined];
      said.clear();
    },
  };
}
