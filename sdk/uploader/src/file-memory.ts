import { appendFile, readFile } from 'node:fs/promises';
import { asRecord, type UploadMemory, type UploadRecord } from './upload-memory.ts';

/**
 * Remembers in a file: a line of JSON for each upload, written after it. A process that is killed loses nothing but,
 * at most, the line that it was writing.
 *
 * @param path of the file; it is made with the first record. Lines that are no records are left as they are
 */
export function createFileMemory(path: string): UploadMemory {
  let loaded: Promise<Map<string, UploadRecord>> | undefined;
  const load = () => {
    loaded ??= readRecords(path);
    return loaded;
  };
  return {
    get: async (place) => (await load()).get(place),
    async set(place, record) {
      (await load()).set(place, record);
      // The line break comes first: the line before may have been cut short.
      await appendFile(path, `\n${JSON.stringify({ place, ...record })}`);
    },
  };
}

async function readRecords(path: string): Promise<Map<string, UploadRecord>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const records = new Map<string, UploadRecord>();
  for (const line of text.split('\n')) {
    const value = parse(line);
    const record = asRecord(value);
    const place = (value as { place?: unknown } | undefined)?.place;
    if (record && typeof place === 'string') records.set(place, record);
  }
  return records;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
