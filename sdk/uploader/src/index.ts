import { createLocalStorageMemory } from './local-storage-memory.ts';
import { commonPorts } from './ports.ts';
import { putWithFetch } from './put-with-fetch.ts';
import { putWithXhr } from './put-with-xhr.ts';
import { uploadFiles } from './upload-files.ts';
import type { UploadMemory } from './upload-memory.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import type { UploadResult } from './upload-result.ts';

export { filesFromList } from './files-from-list.ts';
export { createLocalStorageMemory } from './local-storage-memory.ts';
export { UploadError, type UploadErrorCode } from './upload-error.ts';
export type { UploadMemory, UploadRecord } from './upload-memory.ts';
export type { UploadBody, UploadFile, UploadOptions } from './upload-options.ts';
export type { UploadProgress } from './upload-progress.ts';
export type { FileResult, FileStatus, UploadResult } from './upload-result.ts';

/**
 * Uploads files from a browser over URLs that the key server presigns. Remembers what has arrived in `localStorage`,
 * unless `memory` says otherwise.
 *
 * @throws UploadError `INVALID_OPTIONS`; the fate of each file is in the result
 */
export function upload(files: readonly UploadFile[], options: UploadOptions): Promise<UploadResult> {
  const put = typeof XMLHttpRequest === 'undefined' ? putWithFetch : putWithXhr;
  const memory = options?.memory === undefined ? defaultMemory() : options.memory;
  return uploadFiles(files, { ...options, memory }, { ...commonPorts, put });
}

/** None in a worker, and none where the user has forbidden storage: then reading `localStorage` throws. */
function defaultMemory(): UploadMemory | null {
  try {
    return createLocalStorageMemory(localStorage);
  } catch {
    return null;
  }
}
