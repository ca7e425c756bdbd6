import type { Reference } from '../hls/playlist-lines.ts';
import type { ByteRange } from '../read-range.ts';

/** A playlist as it was at one moment. */
export interface PlaylistVersion {
  readonly bytes: Buffer;
  /** Differs from the value of the previous version: inode, size and time on a disk, ETag or a hash over HTTP. */
  readonly version: string;
  /** Its location, after redirects. Its URIs are relative to that. */
  readonly location: string;
}

/** Where a packager writes a live presentation: a folder, or a web server. */
export interface LiveSource {
  /** The location of what a playlist names. `place.playlist` is the location of the playlist. @throws AppError `VALIDATION_FAILED` if it may not be read */
  resolve(reference: Reference): Promise<string>;
  /**
   * @param known the version that was read last
   * @returns undefined if the playlist is still that version
   * @throws SourceUnavailable
   */
  readChanged(location: string, known: string | undefined): Promise<PlaylistVersion | undefined>;
  /** @throws SourceUnavailable */
  read(location: string, range: ByteRange | undefined): Promise<Buffer>;
  /** Seconds between two looks at a playlist. @param mostSeconds its target duration, or less if it lists little */
  pollSeconds(mostSeconds: number): number;
}
