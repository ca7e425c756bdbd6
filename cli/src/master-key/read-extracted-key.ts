import { readFile } from 'node:fs/promises';
import { refusal } from '../refusal.ts';

/** @returns the 32 bytes of a file that `latchkey master-key extract` wrote. @throws AppError `VALIDATION_FAILED` */
export async function readExtractedKey(path: string): Promise<Buffer> {
  const text = await readFile(path, 'latin1').catch((cause: NodeJS.ErrnoException) => {
    throw refusal(`--extracted ${path} cannot be read (${cause.code ?? 'unreadable'})`, cause);
  });
  if (/^[0-9a-f]{64}$/i.test(text.trim())) return Buffer.from(text.trim(), 'hex');
  throw refusal(
    `--extracted ${path} is not the file of \`latchkey master-key extract\`; accepted: 64 hex digits`,
  );
}
