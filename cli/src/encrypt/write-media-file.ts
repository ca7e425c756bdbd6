import { createCipheriv } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SourceSlice } from './locate-media.ts';

/**
 * Writes bytes of one file into a new one: encrypted with AES-128-CBC and PKCS #7 padding over the whole (RFC 8216
 * section 5.2), or as they are. It streams, so a file of any size takes little memory.
 *
 * @param encryption key and vector, 16 bytes each; undefined for a copy in the clear
 * @returns bytes written: when encrypted, the next multiple of 16 above `source.length`
 * @throws Error where the file cannot be read or written, exists already, or has become shorter
 */
export async function writeMediaFile(
  source: SourceSlice,
  target: string,
  encryption: { readonly key: Uint8Array; readonly iv: Uint8Array } | undefined,
  signal?: AbortSignal,
): Promise<number> {
  const input = openSlice(source);
  const through = encryption
    ? createCipheriv('aes-128-cbc', encryption.key, encryption.iv)
    : new PassThrough();
  const output = createWriteStream(target, { flags: 'wx' });
  let readBytes = 0;
  input.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
  });
  try {
    await pipeline(input, through, output, signal ? { signal } : {});
  } catch (error) {
    // A failed write does not say of which file: a full disk should be told from the others.
    if (error instanceof Error && 'errno' in error && !('path' in error))
      Object.assign(error, { path: target });
    throw error;
  }
  if (readBytes !== source.length) throw new Error(`${source.path} changed while it was being read`);
  return output.bytesWritten;
}

function openSlice({ path, offset, length }: SourceSlice): Readable {
  // A read stream cannot end before it begins, and an empty subtitle segment is still a segment.
  if (length === 0) return Readable.from([]);
  return createReadStream(path, { start: offset, end: offset + length - 1, highWaterMark: readChunkBytes });
}

/** Four times Node's default: fewer trips through the cipher for segments of some megabytes. */
const readChunkBytes = 256 * 1024;
