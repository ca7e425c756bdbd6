import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
import { isWithin } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import type { EncryptOptions } from './encrypt-options.ts';

interface OutputFolderOptions extends Pick<EncryptOptions, 'force' | 'randomBytes' | 'clock' | 'signal'> {
  /** Absolute path of the playlist that is read. The folder that is replaced must not contain it. */
  readonly playlistPath: string;
}

/**
 * Fills a folder that gets its name only when it is complete. After a failure nothing is left.
 *
 * @param work writes into a sibling of the folder, so that the last step is a rename
 * @returns the absolute path of the folder, and what the work returned
 * @throws AppError `VALIDATION_FAILED` if `--out` cannot be used; the reason of the signal once that is aborted; what `work` throws
 */
export async function fillOutputFolder<T>(
  outFolder: string,
  { force = false, playlistPath, randomBytes, clock, signal }: OutputFolderOptions,
  work: (partialPath: string) => Promise<T>,
): Promise<{ path: string; result: T }> {
  const path = await absolutePath(outFolder);
  await clearLeftovers(path, clock);
  await checkOutputFolder(path, force);
  if (isWithin(playlistPath, path)) {
    throw refusal(`--out ${path} holds the playlist that is read; --force would remove it`);
  }
  const partialPath = siblingPath(path, 'partial', randomBytes(8));
  await mkdir(partialPath);
  try {
    const result = await work(partialPath);
    signal?.throwIfAborted();
    await takeName(partialPath, path, siblingPath(path, 'replaced', randomBytes(8)), force);
    return { path, result };
  } catch (error) {
    await rm(partialPath, { recursive: true, force: true });
    // The signal's reason says more than the stream's "aborted".
    signal?.throwIfAborted();
    throw error;
  }
}

/** @throws AppError `VALIDATION_FAILED` if the folder cannot be used */
export async function checkOutputFolder(path: string, force: boolean): Promise<void> {
  const state = await inspect(path);
  if (state === 'file') throw refusal(`--out ${path} is a file; accepted: a folder that is new or empty`);
  if (state === 'full' && !force)
    throw refusal(`--out ${path} is not empty; give a new folder, or --force to replace it whole`);
}

const filled = 'was filled by someone else meanwhile; it is left as it is';
const mounted = 'is a mount point and cannot be replaced; give a folder inside of it';
/** Why a folder cannot get its name, by the code of rename(2). */
const faults: Record<string, string> = { ENOTEMPTY: filled, EEXIST: filled, EBUSY: mounted, EXDEV: mounted };

async function takeName(partialPath: string, path: string, asidePath: string, force: boolean): Promise<void> {
  const isReplaced = force && (await inspect(path)) === 'full';
  try {
    if (isReplaced) await rename(path, asidePath);
    // rename(2) replaces an empty folder, and no other.
    await rename(partialPath, path).catch(async (error: unknown) => {
      if (isReplaced) await rename(asidePath, path);
      throw error;
    });
    if (isReplaced) await rm(asidePath, { recursive: true, force: true });
  } catch (cause) {
    const fault = faults[(cause as NodeJS.ErrnoException).code ?? ''];
    throw fault ? refusal(`--out ${path} ${fault}`, cause) : cause;
  }
}

/** Makes the parent and resolves symbolic links, since siblings must be on the same disk as the folder itself. */
async function absolutePath(outFolder: string): Promise<string> {
  const path = resolve(outFolder);
  await mkdir(dirname(path), { recursive: true });
  return realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)));
}

async function inspect(path: string): Promise<'free' | 'full' | 'file'> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 'free';
  if (!found.isDirectory()) return 'file';
  return (await readdir(path)).length === 0 ? 'free' : 'full';
}

/**
 * A process on another machine or in another container cannot be checked. A live one makes a file every few seconds. An
 * hour allows for clocks that differ and for disks that stall.
 */
const silentAfterMs = 3_600_000;

/**
 * A folder that a run keeps next to its output folder while it works: `<out>.partial-<machine>-<pid>-<random>`. The name says from the start
 * which process owns it.
 *
 * @param kind `partial`: the output so far. `replaced`: the old folder with --force, until the new one is in place
 */
export function siblingPath(outFolder: string, kind: 'partial' | 'replaced', random: Uint8Array): string {
  return `${outFolder}.${kind}-${machineName()}-${process.pid}-${Buffer.from(random).toString('hex')}`;
}

/** Of the name of such a folder: kind, machine and process. */
const siblingEnding = /^(partial|replaced)-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}$/;

/**
 * Clears the leftovers of killed runs next to `outFolder`. A folder that `--force` had put aside goes back if `outFolder` does not
 * exist. Folders of live runs stay.
 */
async function clearLeftovers(outFolder: string, clock: Clock): Promise<void> {
  const prefix = `${basename(outFolder)}.`;
  for (const entry of await readdir(dirname(outFolder), { withFileTypes: true })) {
    if (!entry.isDirectory() || !entry.name.startsWith(prefix)) continue;
    const [, kind, machine, pid] = siblingEnding.exec(entry.name.slice(prefix.length)) ?? [];
    const path = join(dirname(outFolder), entry.name);
    if (!machine || (await isInUse(path, machine, Number(pid), clock))) continue;
    if (kind === 'replaced' && !existsSync(outFolder)) await rename(path, outFolder);
    else await rm(path, { recursive: true, force: true });
  }
}

async function isInUse(path: string, machine: string, pid: number, clock: Clock): Promise<boolean> {
  if (machine === machineName()) return pid !== process.pid && isAlive(pid);
  const children = await readdir(path, { withFileTypes: true });
  const folders = [
    path,
    ...children.filter((child) => child.isDirectory()).map(({ name }) => join(path, name)),
  ];
  const times = await Promise.all(folders.map(async (folder) => (await stat(folder)).mtimeMs));
  return clock.now() - Math.max(...times) < silentAfterMs;
}

/** Whether a process of this machine runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** 8 hex digits of a hash of the host name. */
export function machineName(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

/** The name says which process owns the folder. */
const downloadPrefix = () => `latchkey-source-${machineName()}-`;

/**
 * Works in a new folder of the system's temporary folder (`TMPDIR`), and then removes it. Only this user can read it, because it gets clear media.
 * That is why it is not next to the output, which may be public.
 */
export async function withDownloadFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  await clearDownloads();
  await using folder = await mkdtempDisposable(join(tmpdir(), `${downloadPrefix()}${process.pid}-`));
  return await work(await realpath(folder.path));
}

/** Removes what killed runs on this machine left. */
async function clearDownloads(): Promise<void> {
  const entries = await readdir(tmpdir(), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isDirectory() || !entry.name.startsWith(downloadPrefix())) continue;
    if (isAlive(Number.parseInt(entry.name.slice(downloadPrefix().length), 10))) continue;
    // One of another user stays.
    await rm(join(tmpdir(), entry.name), { recursive: true, force: true }).catch(() => {});
  }
}
