import { createCipheriv, createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import type { FileRange } from '../read-range.ts';

/** One file to be written. */
export interface MediaFileJob {
  readonly source: FileRange;
  /** Its path, with an extension. */
  readonly target: string;
  /** Whether its name gets a hash of its bytes (`addHash`). */
  readonly isHashed: boolean;
  /** Key and vector, 16 bytes each; undefined for a copy in the clear. */
  readonly encryption: { readonly key: Uint8Array; readonly iv: Uint8Array } | undefined;
}

export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * The bytes that are read, encrypted and written at once. Memory up to 128 KiB is taken from the heap of malloc (M_MMAP_THRESHOLD,
 * mallopt(3)); beyond that the kernel clears new pages each time, and 256 KiB took a third more CPU time. 32 KiB take the CPU time
 * of 64 KiB, and the command 6 MiB less memory.
 */
const chunkBytes = 32 * 1024;

/**
 * Writes bytes of one file into a new one, either encrypted with AES-128-CBC and PKCS #7 padding over the whole (RFC 8216
 * section 5.2) or unchanged. A file of any size takes the memory of two chunks. It blocks its thread: streams took 1.6 times
 * the CPU time.
 *
 * @returns when encrypted, the bytes are the next multiple of 16 above `source.length`
 * @throws Error if the file cannot be read or written, exists already, or has become shorter
 */
export function writeMediaFile(job: MediaFileJob): WrittenFile {
  const hash = job.isHashed ? createHash('sha256') : undefined;
  const bytes = writeAll(job, hash);
  if (!hash) return { path: job.target, bytes };
  const path = addHash(job.target, hash.digest('hex'));
  renameSync(job.target, path);
  return { path, bytes };
}

/** @param hash gets what is written @returns bytes written */
function writeAll({ source, target, encryption }: MediaFileJob, hash: Hash | undefined): number {
  const { path, offset, length } = source;
  using input = openFile(path, 'r');
  using output = openFile(target, 'wx');
  let bytes = 0;
  const put = (piece: Uint8Array) => {
    // In contrast to `writeSync`, it writes all of it, also on a disk that becomes full.
    naming(target, () => writeFileSync(output.descriptor, piece));
    hash?.update(piece);
    bytes += piece.length;
  };
  const cipher = encryption && createCipheriv('aes-128-cbc', encryption.key, encryption.iv);
  const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Math.max(1, length)));
  for (let done = 0; done < length; ) {
    const wanted = Math.min(chunk.length, length - done);
    const read = naming(path, () => readSync(input.descriptor, chunk, 0, wanted, offset + done));
    if (read === 0) throw new Error(`${path} changed while it was being read`);
    done += read;
    const clear = chunk.subarray(0, read);
    const encrypted = cipher?.update(clear);
    put(encrypted ?? clear);
    if (encrypted) giveBack(encrypted);
  }
  giveBack(chunk);
  if (cipher) put(cipher.final());
  return bytes;
}

/** Opens a file, which the end of the block closes. */
function openFile(path: string, flags: string) {
  const descriptor = openSync(path, flags);
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Frees the memory of a chunk. The garbage collector would let 60 MB of them gather in each thread. */
function giveBack({ buffer, length }: Buffer): void {
  // Not if it is part of Node's pool, which others use.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** Node does not name the file of a failed read or write. The message should say which disk is full. */
function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'errno' in error && !('path' in error)) Object.assign(error, { path });
    throw error;
  }
}

/**
 * The name of a file with the beginning of the SHA-256 of its bytes: `00007.ts` becomes `00007.3fa91c02.ts`. A CDN may keep a
 * segment for a year. Other bytes get another name, so a new playlist never gets the old ones.
 *
 * @param name with an extension; a path is fine
 * @param sha256 in hex digits
 */
export function addHash(name: string, sha256: string): string {
  const dot = name.lastIndexOf('.');
  return `${name.slice(0, dot)}.${sha256.slice(0, 8)}${name.slice(dot)}`;
}
