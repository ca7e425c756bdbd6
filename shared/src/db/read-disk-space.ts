import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

export type DiskSpace = Awaited<ReturnType<typeof readDiskSpace>>;

/** Reads the space of the file system that a SQLite file is on. */
export async function readDiskSpace(sqlitePath: string) {
  const { bavail, blocks, bsize } = await statfs(dirname(sqlitePath));
  // Free is what an ordinary user may still fill.
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}
