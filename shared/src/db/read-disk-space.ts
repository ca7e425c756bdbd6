import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The space of a file system. */
export interface DiskSpace {
  /** The space that an ordinary user may still fill. */
  freeBytes: number;
  sizeBytes: number;
}

/** Reads the space of the file system that a SQLite file is on. */
export async function readDiskSpace(sqlitePath: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dirname(sqlitePath));
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}
