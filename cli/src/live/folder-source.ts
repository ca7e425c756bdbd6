import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { FileMissing, resolveReference } from '../hls/resolve-reference.ts';
import { showUrl } from '../show-url.ts';
import type { ByteRange } from '../source/request-source.ts';
import { SourceUnavailable } from '../source/source-unavailable.ts';
import type { LiveSource } from './live-source.ts';

/**
 * A look at a playlist costs one stat(2). Unlike inotify, it also works on network disks and on folders that containers
 * share. It adds at most this to the delay of a segment.
 */
const pollSeconds = 0.05;

/** @param sourceRoot nothing outside of it is read; absolute, with symbolic links resolved */
export function createFolderSource(sourceRoot: string): LiveSource {
  return {
    async resolve(uri, playlist, place) {
      // The same names and the same refusals as in a finished presentation.
      return resolveReference(uri, playlist, sourceRoot, place).catch((error: Error) => {
        if (error.cause instanceof FileMissing) throw new SourceUnavailable(error.message, { cause: error });
        throw error;
      });
    },
    async readChanged(location, known) {
      if (known !== undefined && versionOf(await inspect(location)) === known) return undefined;
      return withFile(location, async (file) => {
        // Before the bytes: a file that changes meanwhile has another version at the next look.
        const version = versionOf(await file.stat({ bigint: true }));
        return { bytes: await file.readFile(), version, location };
      });
    },
    read: (location, range) => withFile(location, (file) => readBytes(file, location, range)),
    pollSeconds: () => pollSeconds,
  };
}

async function inspect(location: string): Promise<BigIntStats> {
  return stat(location, { bigint: true }).catch((cause: unknown) => {
    throw unavailable(location, cause);
  });
}

function versionOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}-${size}-${mtimeNs}`;
}

async function withFile<T>(location: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  let file: FileHandle | undefined;
  try {
    file = await open(location, 'r');
    return await work(file);
  } catch (cause) {
    throw cause instanceof SourceUnavailable ? cause : unavailable(location, cause);
  } finally {
    await file?.close();
  }
}

async function readBytes(file: FileHandle, location: string, range: ByteRange | undefined): Promise<Buffer> {
  if (range === undefined) return file.readFile();
  const { size } = await file.stat();
  if (range.offset + range.length > size)
    throw new SourceUnavailable(`${showUrl(location)} is not written to its end`);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(range.length), 0, range.length, range.offset);
  return buffer.subarray(0, bytesRead);
}

function unavailable(location: string, cause: unknown): SourceUnavailable {
  const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new SourceUnavailable(`${showUrl(location)} cannot be read (${reason})`, { cause });
}
