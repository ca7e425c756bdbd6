import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Ends the name of a file that is being written. Its beginning is a dot, so a web server does not list it. */
const partialEnding = '.partial';

/**
 * Writes a file under a temporary name and renames it: readers see the whole old file or the whole new one.
 *
 * @param durable also survives a power cut, at the cost of a wait for the disk
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  durable = false,
): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}${partialEnding}`);
  try {
    const file = await open(partial, 'w');
    try {
      await file.writeFile(content);
      if (durable) await file.datasync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

export function isPartial(name: string): boolean {
  return name.startsWith('.') && name.endsWith(partialEnding);
}
