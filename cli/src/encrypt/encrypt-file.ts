import { createCipheriv } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SourceSlice } from './locate-media.ts';

/**
 * Encrypts octets of one file into a new one: AES-128-CBC with PKCS #7 padding over the whole (RFC 8216 section 5.2),
 * as a stream, so a file of any size takes little memory.
 *
 * @param key 16 octets
 * @param iv 16 octets
 * @returns octets written: the next multiple of 16 above `source.length`
 * @throws Error where the file cannot be read or written, exists already, or has become shorter
 */
export async function encryptFile(
  source: SourceSlice,
  target: string,
  key: Uint8Array,
  iv: Uint8Array,
  signal?: AbortSignal,
): Promise<number> {
  const input = openSlice(source);
  const cipher = createCipheriv('aes-128-cbc', key, iv);
  const output = createWriteStream(target, { flags: 'wx' });
  let readOctets = 0;
  input.on('data', (chunk: Buffer) => {
    readOctets += chunk.length;
  });
  try {
    await pipeline(input, cipher, output, signal ? { signal } : {});
  } catch (error) {
    // A failed write does not say of which file: a full disk should be told from the others.
    if (error instanceof Error && 'errno' in error && !('path' in error))
      Object.assign(error, { path: target });
    throw error;
  }
  if (readOctets !== source.length) throw new Error(`${source.path} changed while it was being read`);
  return output.bytesWritten;
}

function openSlice({ path, offset, length }: SourceSlice): Readable {
  // A read stream cannot end before it begins, and an empty subtitle segment is still a segment.
  if (length === 0) return Readable.from([]);
  return createReadStream(path, { start: offset, end: offset + length - 1, highWaterMark: readChunkOctets });
}

/** Four times Node's default: fewer trips through the cipher for segments of some megabytes. */
const readChunkOctets = 256 * 1024;
