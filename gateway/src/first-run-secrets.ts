import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '@latchkey/shared/db';

/** Readable by its owner alone: it opens all content. */
const fileMode = 0o600;

/**
 * Keeps what was made. The file is on the disk, whole, before anything is encrypted with it: a process that is killed
 * leaves the old file or the new one.
 */
export function keepSecrets(path: string, made: Readonly<Record<string, string>>): void {
  makeFolder(dirname(path));
  const before = existsSync(path) ? readFileSync(path, 'utf8') : introduction;
  const lines = Object.entries(made).map(([name, value]) => `${name}=${value}\n`);
  const temporary = `${path}.${process.pid}.new`;
  const file = openSync(temporary, 'wx', fileMode);
  try {
    writeSync(file, before + lines.join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

const introduction = `# Made by the first run of Latchkey. The master key and its salt derive every content key:
# whoever has them can play everything, and without them everything encrypted is lost. Back this file up.
`;

/** A rename is lasting once its folder is on the disk. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
