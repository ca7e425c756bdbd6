import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SecretsFile } from '@latchkey/shared/config';
import { makeFolder } from '@latchkey/shared/db';

/** Readable by its owner alone: it opens all content. */
const fileMode = 0o600;
/** Where a file system has no hard links (link(2)), such as FAT and some that are shared with a virtual machine. */
const hasNoLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Keeps what was made. The file is on the disk, whole, before anything is encrypted with it: a process that is killed
 * leaves the old file or the new one. Of several processes that make it at the same time, one does.
 *
 * @param before the file as it was read when it lacked what was made
 * @param suffix of the file that becomes the new one; no other process may have the same. A process id is not enough: in
 *   containers that share a volume each is 1, and one that was killed leaves its file behind
 * @returns false where another process has made the file since: nothing was written
 */
export function keepSecrets(
  { path, text }: SecretsFile,
  made: Readonly<Record<string, string>>,
  suffix: string,
): boolean {
  makeFolder(dirname(path));
  const lines = Object.entries(made).map(([name, value]) => `${name}=${value}\n`);
  const temporary = `${path}.${suffix}.new`;
  try {
    writeWhole(temporary, `${endLine(text ?? introduction)}${lines.join('')}`);
    if (text === null) {
      if (!linkNew(temporary, path)) return false;
    } else renameSync(temporary, path);
    syncFolder(dirname(path));
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

const introduction = `# Made by the first run of Latchkey. The master key and its salt derive every content key:
# who has them can play everything, and without them everything encrypted is lost. Back this file up.
`;

/** A person may have edited it, and left its last line without an end. */
function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function writeWhole(path: string, text: string): void {
  const file = openSync(path, 'wx', fileMode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Gives the file its name, unless another one has it: link(2) is atomic and replaces nothing, as rename(2) does. */
function linkNew(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    unlinkSync(temporary);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EEXIST') return false;
    if (!hasNoLinks.has(code)) throw error;
  }
  // Then the lock of the database alone keeps two processes apart.
  renameSync(temporary, path);
  return true;
}

/** A rename is lasting once its folder is on the disk. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
