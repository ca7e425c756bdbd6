import { open } from 'node:fs/promises';

/** A part of a file, in bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Bytes of a file on disk; none of an empty file. */
export interface FileRange extends ByteRange {
  readonly path: string;
}

/** Reads a part of a file on disk. @returns fewer bytes if the file ends before. @throws an error of the file system as Node gives it */
export async function readRange({ path, offset, length }: FileRange): Promise<Buffer> {
  const file = await open(path);
  try {
    // A length from a playlist must not take more memory than the file has.
    const { size } = await file.stat();
    const wanted = Math.max(0, Math.min(length, size - offset));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
