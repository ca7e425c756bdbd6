import { readFile, stat } from 'node:fs/promises';
import { FileMissing, resolveReference } from '../hls/resolve-reference.ts';
import { readRange } from '../read-range.ts';
import { showUrl } from '../show-url.ts';
import { SourceUnavailable } from '../source/request-source.ts';
import type { LiveSource } from './live-source.ts';

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
