import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refusal } from '../refusal.ts';
import { partialPathOf } from '../write-file.ts';

/** Who watches what is in these files, so only their owner reads them. */
const fileMode = 0o600;

/** A file that is being written next to its final name. */
export type PartialFile = Awaited<ReturnType<typeof makePartialFile>>;

/**
 * Makes an empty file next to the final name.
 *
 * @throws AppError VALIDATION_FAILED if another run writes it, or was killed while it did
 */
export async function makePartialFile(finalPath: string) {
  const folder = dirname(finalPath);
  const path = partialPathOf(finalPath);
  try {
    await (await open(path, 'wx', fileMode)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw refusal(`another run is writing ${path}, or was killed. Remove that file if no other run is left`);
  }
  /** Removes it if it has not got its name. */
  const discard = () => rm(path, { force: true });
  return {
    path,
    /** Gives it its name, once it is on the disk. An existing file of that name is never replaced. */
    async place() {
      await sync(path);
      try {
        await link(path, finalPath);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExists(finalPath);
        throw error;
      }
      await discard();
      await sync(folder);
    },
    /** As `place`, but replaces a file of that name: readers see the whole old file or the whole new one. */
    async replace() {
      await sync(path);
      await rename(path, finalPath);
      await sync(folder);
    },
    discard,
  };
}

export function fileExists(path: string): Error {
  return refusal(`${path} exists already, and no file is replaced. Give another name`);
}

/** Waits until a file, or the names in a folder, are on the disk. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
