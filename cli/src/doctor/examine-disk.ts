import { type DiskSpace, readDiskSpace } from '@latchkey/shared/db';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** The threshold of the alert LatchkeyDiskNearlyFull. */
const leastFreeShare = 0.1;
/** SQLite lets its journal grow to 1,000 pages of 4 KiB before it writes them into the file (`wal_autocheckpoint`). */
const leastFreeBytes = 4_000 * 1_024;
const mebibyte = 1_024 ** 2;

/**
 * The space on the disk of the SQLite file. A full one still lets the server start and serve keys.
 *
 * @param read replaced in tests, because a full disk needs root
 */
export async function examineDisk(
  sqlitePath: string,
  read: (sqlitePath: string) => Promise<DiskSpace> = readDiskSpace,
): Promise<Finding[]> {
  if (sqlitePath === ':memory:') return [];
  // The folder may not be there yet.
  const space = await read(sqlitePath).catch(() => null);
  // A file system without blocks, such as /proc, has no space to speak of.
  if (!space || space.sizeBytes === 0) return [];
  const { freeBytes, sizeBytes } = space;
  const about = `disk of SQLITE_PATH (${sqlitePath})`;
  const free = `${Math.floor(freeBytes / mebibyte)} MiB are free (${Math.floor((100 * freeBytes) / sizeBytes)} %)`;
  const mend =
    'make room on the disk or enlarge it; docs/operate/runbooks/stores.md#latchkeydisknearlyfull explains what takes the room';
  if (freeBytes < leastFreeBytes) {
    const says = `is full, ${free}: keys are served, no viewer can start and no revocation is accepted`;
    return [wrong(about, says, { mend })];
  }
  if (freeBytes < leastFreeShare * sizeBytes) {
    const says = `is nearly full, ${free}; on a full one no viewer can start and no revocation is accepted`;
    return [warning(about, says, { mend })];
  }
  return [ok(about, free)];
}
