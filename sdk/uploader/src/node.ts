import { appendFile, readFile } from 'node:fs/promises';
import { commonPorts } from './ports.ts';
import { putWithHttp } from './put-with-http.ts';
import { uploadFiles } from './upload-files.ts';
import { asRecord, type UploadMemory, type UploadRecord } from './upload-memory.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import type { UploadResult } from './upload-result.ts';

export { openFile, openFolder } from './open-folder.ts';
export { UploadError, type UploadErrorCode } from './upload-error.ts';
export type { UploadMemory, UploadRecord } from './upload-memory.ts';
export type { UploadBody, UploadFile, UploadOptions } from './upload-options.ts';
export type { UploadProgress } from './upload-progress.ts';
export type { FileResult, FileStatus, UploadResult } from './upload-result.ts';

/**
 * Uploads files from Node over URLs that the key server presigns. Remembers nothing without a `memory`, such as
 * {@link createFileMemory}.
 *
 * @throws UploadError `INVALID_OPTIONS`; everything else is in the result
 */
export function upload(files: readonly UploadFile[], options: UploadOptions): Promise<UploadResult> {
  return uploadFiles(files, options, { ...commonPorts, put: putWithHttp });
}

/**
 * Remembers in a file: a line of JSON after each upload. A process that is killed loses at most the line that it was
 * writing.
 *
 * @param path of the file, which is made with the first record. Other lines stay unchanged
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
      // The line break comes first, since the previous line may have been cut short.
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
