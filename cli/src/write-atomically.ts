import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Ends the name of a file that is being written. Its beginning is a dot, so a web server does not list it. */
const partialEnding = '.partial';

interface WriteOptions {
  /** The permission bits of a new file. Default: the bits that the umask allows. */
  readonly mode?: number;
  /** Also survives a power cut, at the cost of a wait for the disk. */
  readonly durable?: boolean;
}

/** Writes a file under a temporary name and renames it: readers see the whole old file or the whole new one. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode, durable = false }: WriteOptions = {},
): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}${partialEnding}`);
  // A killed run may have left one. It is made anew, so that the mode holds and no link is followed.
  await rm(partial, { force: true });
  try {
    const file = await open(partial, 'wx', mode);
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
