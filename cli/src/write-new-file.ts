import { open } from 'node:fs/promises';
import { refusal } from './refusal.ts';

/**
 * Writes a secret to a file that only its owner may read. Never overwrites one: it may hold the only copy of another master key.
 *
 * @param option that names the file, for the message
 * @throws AppError `VALIDATION_FAILED` if there is such a file; the errors of the operating system
 */
export async function writeNewFile(
  option: string,
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(content);
      // The only copy of a master key should outlive a power cut.
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw refusal(
      `${option} ${path} exists already and is never overwritten; give the name of a new file`,
      cause,
    );
  }
}
