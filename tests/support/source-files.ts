import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders without hand-written files. */
const leftOut = new Set(['node_modules', '.git', '.cache', 'data', 'dist', 'coverage']);

/** Every hand-written file of the repository, as sorted paths relative to `root` with `/`. */
export function listSourceFiles(root: string, folder = ''): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) files.push(path);
    else if (!leftOut.has(entry.name)) files.push(...listSourceFiles(root, path));
  }
  return files.sort();
}
