import { createHash } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';

/** What a run keeps beside its output folder while it works. */
export interface SiblingFolder {
  readonly path: string;
  /** `partial`: the output in the making. `replaced`: what --force replaces, until the new one stands. */
  readonly kind: 'partial' | 'replaced';
  /** 8 hex digits that stand for the machine, and the process on it. */
  readonly machine: string;
  readonly pid: number;
}

/**
 * A process on another machine, or in another container, cannot be asked whether it lives. A live one makes a file
 * every few seconds; an hour leaves room for clocks that differ and for disks that stall.
 */
const silentAfterMs = 3_600_000;

/** `<out>.partial-<machine>-<pid>-<random>`: the name itself tells whose it is, from the instant it exists. */
export function siblingPath(outFolder: string, kind: SiblingFolder['kind'], random: Uint8Array): string {
  return `${outFolder}.${kind}-${machineName()}-${process.pid}-${Buffer.from(random).toString('hex')}`;
}

/**
 * Clears what killed runs left beside `outFolder`. A folder that `--force` had put aside goes back where nothing has
 * taken its place. What a live run is working in stays.
 *
 * @returns the paths removed or put back
 */
export async function clearLeftovers(outFolder: string, clock: Clock): Promise<string[]> {
  const cleared: string[] = [];
  for (const folder of await findSiblings(outFolder)) {
    if (await isInUse(folder, clock)) continue;
    const putBack = folder.kind === 'replaced' && !(await exists(outFolder));
    if (putBack) await rename(folder.path, outFolder);
    else await rm(folder.path, { recursive: true, force: true });
    cleared.push(folder.path);
  }
  return cleared;
}

async function findSiblings(outFolder: string): Promise<SiblingFolder[]> {
  const parent = dirname(outFolder);
  const prefix = `${basename(outFolder)}.`;
  const entries = await readdir(parent, { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (!entry.isDirectory() || !entry.name.startsWith(prefix)) return [];
    const pattern = /^(partial|replaced)-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}$/;
    const [, kind, machine, pid] = pattern.exec(entry.name.slice(prefix.length)) ?? [];
    if ((kind !== 'partial' && kind !== 'replaced') || !machine) return [];
    return [{ path: join(parent, entry.name), kind, machine, pid: Number(pid) }];
  });
}

async function isInUse({ path, machine, pid }: SiblingFolder, clock: Clock): Promise<boolean> {
  if (machine === machineName()) return pid !== process.pid && isAlive(pid);
  const children = await readdir(path, { withFileTypes: true });
  const folders = [
    path,
    ...children.filter((child) => child.isDirectory()).map(({ name }) => join(path, name)),
  ];
  const times = await Promise.all(folders.map(async (folder) => (await stat(folder)).mtimeMs));
  return clock.now() - Math.max(...times) < silentAfterMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function machineName(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}
