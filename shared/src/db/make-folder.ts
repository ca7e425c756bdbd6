import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** For its owner alone: what is kept there opens content, or says who watches it. */
const folderMode = 0o700;

/**
 * Makes a folder, and those above it that are missing. Node's own `recursive` tries for ever where a folder is there but
 * nothing can be made in it and the system says ENOENT, as it does below /proc.
 *
 * @throws the error of the operating system, with the path that could not be made
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, folderMode);
  } catch (error) {
    // Another process may have made it in between.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
