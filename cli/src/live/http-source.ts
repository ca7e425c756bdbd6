import { createHash } from 'node:crypto';
import { playlistError } from '../hls/playlist-lines.ts';
import { showUrl } from '../show-url.ts';
import {
  createSourceRequests,
  playlistMostBytes,
  type SourceAccess,
  segmentMostBytes,
} from '../source/request-source.ts';
import type { LiveSource } from './live-source.ts';

/** A packager on the same network answers in milliseconds. After this time a new connection is more likely to help. */
const timeoutMs = 10_000;

/** A source that is read with GET. */
export function createHttpSource({
  address,
  headers,
  signal,
}: Pick<SourceAccess, 'headers' | 'signal'> & { readonly address: string }): LiveSource {
  const request = createSourceRequests({ address, headers, timeoutMs, signal });
  const ownOrigin = new URL(address).origin;
  return {
    async resolve({ uri, place }) {
      const { playlist } = place;
      const url = URL.canParse(uri, playlist) ? new URL(uri, playlist) : undefined;
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
