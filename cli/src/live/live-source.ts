import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { playlistError, type Reference } from '../hls/playlist-lines.ts';
import { FileMissing, resolveReference } from '../hls/resolve-reference.ts';
import { type ByteRange, readRange } from '../read-range.ts';
import { showUrl } from '../show-url.ts';
import {
  createSourceRequests,
  playlistMostBytes,
  type SourceAccess,
  SourceUnavailable,
  segmentMostBytes,
} from '../source/request-source.ts';

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

/**
 * A look at a playlist costs one stat(2). Unlike inotify, it also works on network disks and on folders that containers
 * share. It adds at most this to the delay of a segment.
 */
const pollSeconds = 0.05;

/** @param sourceRoot nothing outside of it is read; absolute, with symbolic links resolved */
export function createFolderSource(sourceRoot: string): LiveSource {
  return {
    async resolve({ uri, place }) {
      // The same names and the same refusals as in a finished presentation.
      return resolveReference(uri, place.playlist, sourceRoot, place).catch((error: Error) => {
        if (error.cause instanceof FileMissing) throw new SourceUnavailable(error.message, { cause: error });
        throw error;
      });
    },
    async readChanged(location, known) {
      // Before the bytes: a file that changes meanwhile has another version at the next look.
      const { ino, size, mtimeNs } = await stat(location, { bigint: true }).catch(unavailable(location));
      const version = `${ino}-${size}-${mtimeNs}`;
      if (version === known) return undefined;
      return { bytes: await readFile(location).catch(unavailable(location)), version, location };
    },
    async read(location, range) {
      if (range === undefined) return readFile(location).catch(unavailable(location));
      const bytes = await readRange({ path: location, ...range }).catch(unavailable(location));
      if (bytes.length === range.length) return bytes;
      throw new SourceUnavailable(`${showUrl(location)} is not written to its end`);
    },
    pollSeconds: () => pollSeconds,
  };
}

function unavailable(location: string): (cause: unknown) => never {
  return (cause) => {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new SourceUnavailable(`${showUrl(location)} cannot be read (${reason})`, { cause });
  };
}

/** A packager on the same network answers in milliseconds. After this time a new connection is more likely to help. */
const timeoutMs = 10_000;

/** A source that is read with GET. */
export function createHttpSource(
  access: Pick<SourceAccess, 'headers' | 'signal'> & { readonly address: string },
): LiveSource {
  const request = createSourceRequests({ ...access, timeoutMs });
  const ownOrigin = new URL(access.address).origin;
  return {
    async resolve({ uri, place }) {
      const { playlist } = place;
      const url = URL.parse(uri, playlist);
      // A stranger's playlist could otherwise publish what only this machine can reach.
      const accepted = [...new Set([new URL(playlist).origin, ownOrigin])];
      if (url && accepted.includes(url.origin)) return url.href;
      throw playlistError(
        place,
        `"${showUrl(uri)}" is on another server; accepted: URLs of ${accepted.join(' and ')}`,
      );
    },
    async readChanged(location, known) {
      const etag = known?.startsWith('etag:') ? known.slice(5) : undefined;
      const { url, bytes, etag: tag } = await request(location, { mostBytes: playlistMostBytes, etag });
      if (!bytes) return undefined;
      // The text decides if there is no ETag: Last-Modified counts whole seconds, in which a playlist may change twice.
      const version = tag ? `etag:${tag}` : createHash('sha256').update(bytes).digest('hex');
      return version === known ? undefined : { bytes, version, location: url };
    },
    async read(location, range) {
      const { bytes } = await request(location, { mostBytes: segmentMostBytes, range });
      return bytes ?? Buffer.alloc(0);
    },
    // As a player (RFC 8216 section 6.3.4).
    pollSeconds: (mostSeconds) => mostSeconds,
  };
}
