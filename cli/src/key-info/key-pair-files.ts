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
  const keyName = (epoch: number) => `${basename(infoPath)}.${epoch}.key`;
  let written: readonly number[] = [];

  const removeKeys = async (isKept: (name: string) => boolean) => {
    const [prefix, ending] = [`${basename(infoPath)}.`, '.key'];
    for (const name of await readdir(folder)) {
      const epoch = name.slice(prefix.length, -ending.length);
      const isKey = name.startsWith(prefix) && name.endsWith(ending) && /^\d+$/.test(epoch);
      if (isKey && !isKept(name)) await rm(join(folder, name), { force: true });
    }
  };

  return {
    /** Writes the pair. A reader at any moment finds the pair of before or this one, never a mixture. */
    async write({ epoch, key, uri, iv }: KeyPair) {
      const keyPath = join(folder, keyName(epoch));
      const isNew = !written.includes(epoch);
      if (isNew) await writeAtomically(keyPath, key, ownerOnly);
      await writeAtomically(infoPath, `${uri}\n${keyPath}\n${iv}\n`, ownerOnly);
      if (!isNew) return;
      written = [...written.slice(-1), epoch];
      // Also the keys that an earlier run left.
      const kept = new Set(written.map(keyName));
      await removeKeys((name) => kept.has(name));
    },
    /** Removes the key info first, so that an encoder starts no further segment. */
    async remove() {
      await rm(infoPath, { force: true });
      await removeKeys(() => false);
    },
  };
}
