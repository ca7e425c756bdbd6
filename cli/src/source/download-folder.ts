import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, machineName } from '../encrypt/output-folder.ts';

/** The name says which process owns the folder. */
const prefix = () => `latchkey-source-${machineName()}-`;

/**
 * Works in a new folder of the system's temporary folder (`TMPDIR`), and then removes it. Only this user can read it, because it gets clear media.
 * That is why it is not next to the output, which may be public.
 */
export async function withDownloadFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  await clearLeftovers();
  const folder = await realpath(await mkdtemp(join(tmpdir(), `${prefix()}${process.pid}-`)));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what killed runs on this machine left. */
async function clearLeftovers(): Promise<void> {
  const entries = await readdir(tmpdir(), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isDirectory() || !entry.name.startsWith(prefix())) continue;
    if (isAlive(Number.parseInt(entry.name.slice(prefix().length), 10))) continue;
    // One of another user stays.
    await rm(join(tmpdir(), entry.name), { recursive: true, force: true }).catch(() => {});
  }
}
