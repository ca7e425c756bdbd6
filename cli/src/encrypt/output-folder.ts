import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
import { AppError } from '@latchkey/shared/errors';
import { isWithin } from '../hls/resolve-reference.ts';
import { clearLeftovers, siblingPath } from './partial-folders.ts';

/** A folder in the making: it appears under its name when it is whole, or not at all. */
export interface OutputFolder {
  /** Where it will be: absolute. */
  readonly path: string;
  /** Where to write until then: a sibling, so that the last step is a rename. */
  readonly partialPath: string;
  /** Gives it its name. What --force replaces stays in its place until this moment. */
  commit(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

export interface OutputFolderOptions {
  /** Replace a folder that is not empty. */
  readonly force: boolean;
  /** Absolute path of the playlist that is read: it must not lie in what is replaced. */
  readonly playlistPath: string;
  readonly randomOctets: (count: number) => Uint8Array;
  readonly clock: Clock;
}

/** @throws AppError `VALIDATION_FAILED` where `--out` cannot be used */
export async function openOutputFolder(
  outFolder: string,
  { force, playlistPath, randomOctets, clock }: OutputFolderOptions,
): Promise<OutputFolder> {
  const path = await absolutePath(outFolder);
  await clearLeftovers(path, clock);
  const state = await inspect(path);
  if (state === 'file') throw refusal(`--out ${path} is a file; accepted: a folder that is new or empty`);
  if (state === 'full') {
    if (!force)
      throw refusal(`--out ${path} is not empty; give a new folder, or --force to replace it whole`);
    if (isWithin(playlistPath, path)) {
      throw refusal(`--out ${path} holds the playlist that is read; --force would remove it`);
    }
  }
  const partialPath = siblingPath(path, 'partial', randomOctets(8));
  await mkdir(partialPath);
  return {
    path,
    partialPath,
    commit: () => takeName(partialPath, path, siblingPath(path, 'replaced', randomOctets(8)), force),
    discard: () => rm(partialPath, { recursive: true, force: true }),
  };
}

async function takeName(partialPath: string, path: string, asidePath: string, force: boolean): Promise<void> {
  try {
    if (!force || (await inspect(path)) !== 'full') {
      // rename(2) takes the place of an empty folder and of nothing else.
      await rename(partialPath, path);
      return;
    }
    await rename(path, asidePath);
    try {
      await rename(partialPath, path);
    } catch (error) {
      await rename(asidePath, path);
      throw error;
    }
    await rm(asidePath, { recursive: true, force: true });
  } catch (cause) {
    throw explainRename(path, cause);
  }
}

function explainRename(path: string, cause: unknown): unknown {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'ENOTEMPTY' || code === 'EEXIST') {
    return refusal(`--out ${path} was filled by someone else meanwhile; it is left as it is`, cause);
  }
  if (code === 'EBUSY' || code === 'EXDEV') {
    return refusal(
      `--out ${path} is a mount point and cannot be replaced; give a folder inside of it`,
      cause,
    );
  }
  return cause;
}

/** With the parent made, and symbolic links resolved: siblings must lie on the same disk as the folder itself. */
async function absolutePath(outFolder: string): Promise<string> {
  const path = resolve(outFolder);
  await mkdir(dirname(path), { recursive: true });
  return realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)));
}

async function inspect(path: string): Promise<'absent' | 'empty' | 'full' | 'file'> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return 'absent';
  if (!found.isDirectory()) return 'file';
  return (await readdir(path)).length === 0 ? 'empty' : 'full';
}

function refusal(detail: string, cause?: unknown): AppError {
  return new AppError('VALIDATION_FAILED', { detail, cause });
}
