import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { refuseExisting } from './refusal.ts';

/** Ends the name of a file that is being written. Its beginning is a dot, so a web server does not list it. */
const partialEnding = '.partial';

/** The temporary name of a file that is being written. */
export function partialPathOf(path: string): string {
  return join(dirname(path), `.${basename(path)}${partialEnding}`);
}

export function isPartial(name: string): boolean {
  return name.startsWith('.') && name.endsWith(partialEnding);
}

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
  { mode, durable }: WriteOptions = {},
): Promise<void> {
  const partial = partialPathOf(path);
  // A killed run may have left one. It is made anew, so that the mode holds and no link is followed.
  await rm(partial, { force: true });
  try {
    await writeFile(partial, content, { flag: 'wx', mode, flush: durable });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

/**
 * Writes a secret to the file of `--out`, which only its owner may read. Never overwrites one: it may hold the only copy of another master key.
 *
 * @throws AppError `VALIDATION_FAILED` if there is such a file; the errors of the operating system
 */
export async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  const exists = `--out ${path} exists already and is never overwritten; give the name of a new file`;
  // The only copy of a master key should outlive a power cut.
  await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true }).catch(refuseExisting(exists));
}
