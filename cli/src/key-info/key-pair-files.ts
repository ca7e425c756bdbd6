import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { refusal } from '../refusal.ts';
import { writeAtomically } from '../write-file.ts';

/** The two files that an encoder reads: the key info file, and the key file that it names. */
interface KeyPair {
  readonly epoch: number;
  /** 16 bytes. */
  readonly key: Uint8Array;
  /** For the playlist. */
  readonly uri: string;
  /** 32 hex digits. */
  readonly iv: string;
}

export type KeyPairFiles = ReturnType<typeof createKeyPairFiles>;

/** Both files hold what opens the stream, or lead to it. */
const ownerOnly = { mode: 0o600 };

/**
 * Each key has a file of its own, `<file>.<epoch>.key`. The key info file is replaced by a rename once the key file exists. An encoder
 * that has just read the old key info still finds the old key file: the two latest stay.
 *
 * @param file the key info file
 * @throws AppError VALIDATION_FAILED if its path has a line break
 */
export function createKeyPairFiles(file: string) {
  const infoPath = resolve(file);
  if (/[\r\n]/.test(infoPath)) throw refusal('--follow has a line break; accepted: a path without one');
  const folder = dirname(infoPath);
  const prefix = `${basename(infoPath)}.`;
  /** Names of the latest key files. */
  let written: readonly string[] = [];

  const removeKeysBut = async (kept: readonly string[]) => {
    for (const name of await readdir(folder)) {
      const isKey = name.startsWith(prefix) && /^\d+\.key$/.test(name.slice(prefix.length));
      if (isKey && !kept.includes(name)) await rm(join(folder, name), { force: true });
    }
  };

  return {
    /** Writes the pair. A reader at any moment finds the pair of before or this one, never a mixture. */
    async write({ epoch, key, uri, iv }: KeyPair) {
      const name = `${prefix}${epoch}.key`;
      const keyPath = join(folder, name);
      const isNew = !written.includes(name);
      if (isNew) await writeAtomically(keyPath, key, ownerOnly);
      await writeAtomically(infoPath, `${uri}\n${keyPath}\n${iv}\n`, ownerOnly);
      if (!isNew) return;
      written = [...written.slice(-1), name];
      // Also the keys that an earlier run left.
      await removeKeysBut(written);
    },
    /** Removes the key info first, so that an encoder starts no further segment. */
    async remove() {
      await rm(infoPath, { force: true });
      await removeKeysBut([]);
    },
  };
}
