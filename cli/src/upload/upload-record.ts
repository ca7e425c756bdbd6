import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * In the folder of the presentation: from what it was encrypted, in its first line, then what has been uploaded of it. It
 * comes and goes with the folder, and its name is one that is never uploaded.
 */
const recordName = '.latchkey-upload';

/** The record of a folder that is being encrypted. */
export function startRecord(fingerprint: string): { path: string; text: string } {
  return { path: recordName, text: JSON.stringify({ encryptedFrom: fingerprint }) };
}

export function recordPath(folder: string): string {
  return join(folder, recordName);
}

/** Whether the folder holds what an encryption with this fingerprint gave: a folder appears only when it is whole. */
export async function isEncryptedFrom(folder: string, fingerprint: string): Promise<boolean> {
  const text = await readFile(recordPath(folder), 'utf8').catch(() => '');
  return text.split('\n')[0] === startRecord(fingerprint).text;
}
