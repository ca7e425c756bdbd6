import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * In the folder of the presentation: from what it was encrypted, in its first line, then what has been uploaded of it. It
 * comes and goes with the folder, so what is encrypted anew counts as not uploaded. Its name is one that is never uploaded.
 */
const recordName = '.latchkey-upload';

/** What a presentation was encrypted from: hashes, nothing that is secret. */
export interface Origin {
  /** Of the source and the options. */
  readonly encryptedFrom: string;
  /** Of the content keys. */
  readonly withKeys: string;
}

/** The record of a folder that is being encrypted. */
export function startRecord({ encryptedFrom, withKeys }: Origin): { path: string; text: string } {
  return { path: recordName, text: JSON.stringify({ encryptedFrom, withKeys }) };
}

export function recordPath(folder: string): string {
  return join(folder, recordName);
}

/**
 * How a folder compares with what an encryption would give now: `same`; `other keys` where the source and the options are
 * the same, but what is in the folder plays with keys that are no longer given; else `other`. A folder appears only when
 * it is whole.
 */
export async function compareOrigin(folder: string, now: Origin): Promise<'same' | 'other keys' | 'other'> {
  const text = await readFile(recordPath(folder), 'utf8').catch(() => '');
  const [first = ''] = text.split('\n');
  if (first === startRecord(now).text) return 'same';
  return readEncryptedFrom(first) === now.encryptedFrom ? 'other keys' : 'other';
}

/** Anything that is no record is the folder of somebody else. */
function readEncryptedFrom(line: string): unknown {
  try {
    const record: unknown = JSON.parse(line);
    const complete = typeof record === 'object' && record !== null && 'withKeys' in record;
    return complete ? (record as { encryptedFrom?: unknown }).encryptedFrom : undefined;
  } catch {
    return undefined;
  }
}
