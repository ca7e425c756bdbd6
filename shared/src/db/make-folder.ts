import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Accessible by the owner alone: the content of these files opens videos or shows who watches them. */
const folderMode = 0o700;

/**
 * Makes a folder and its missing parents. Node's own `recursive` never ends where a folder exists, nothing can be made in
 * it, and the system says ENOENT, as it does below /proc.
 *
 * @throws the operating system's error, with the path that could not be made
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, folderMode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
