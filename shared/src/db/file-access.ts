import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

const readAndWrite = constants.R_OK | constants.W_OK;

/**
 * Finds the file of a SQLite database that this process may not read and write. The text completes "SQLITE_PATH is …, …".
 * The folder counts too, because SQLite makes its write-ahead log next to the file.
 *
 * @param uid of this process; undefined where the system has none
 * @returns null where access is allowed, or nothing exists yet
 */
export function describeFileRefusal(path: string, uid: number | undefined): string | null {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (isThere(file) && !mayAccess(file, readAndWrite)) return refusalOf(file, uid);
  }
  const folder = dirname(path);
  // Without the right to search a folder, the process sees no file in it.
  if (isThere(folder) && !mayAccess(folder, constants.W_OK | constants.X_OK)) return refusalOf(folder, uid);
  return null;
}

function refusalOf(file: string, uid: number | undefined): string {
  const { uid: owner, mode } = statSync(file);
  const rights = (mode & 0o777).toString(8).padStart(3, '0');
  const self = uid === undefined ? 'this process' : `this process (user ${uid})`;
  return `but ${file} belongs to user ${owner} (mode ${rights}), and ${self} may not read and write it: run as that user, or give it to this one with chown`;
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function mayAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Read permission for everyone, and the right to reach the files of a folder (inode(7)). */
const othersMayRead = 0o004;
const othersMayEnter = 0o001;

/**
 * Finds the files that every user of the machine may read. New files are made for their owner alone. Files that were
 * restored or copied keep their permissions: an operator may have set them on purpose, so they are not changed.
 *
 * @param paths files, which may be missing
 * @param uid of this process; undefined where the system has none, and so no such permissions
 */
export function findFilesOpenToAll(paths: readonly string[], uid: number | undefined): string[] {
  if (uid === undefined) return [];
  const isAllowed = (path: string, right: number) => isThere(path) && (statSync(path).mode & right) !== 0;
  return paths.filter((path) => isAllowed(path, othersMayRead) && isAllowed(dirname(path), othersMayEnter));
}
