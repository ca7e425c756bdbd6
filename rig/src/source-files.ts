import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that hold nothing written by hand. */
const leftOut = new Set(['node_modules', '.git', '.cache', 'data', 'dist', 'coverage']);

/** Every file of the repository that somebody wrote, as paths from `root` with `/`, sorted. */
export function listSourceFiles(root: string, folder = ''): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) files.push(path);
    else if (!leftOut.has(entry.name)) files.push(...listSourceFiles(root, path));
  }
  return files.sort();
}
