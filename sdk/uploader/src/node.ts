import { commonPorts } from './ports.ts';
import { putWithHttp } from './put-with-http.ts';
import { uploadFiles } from './upload-files.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import type { UploadResult } from './upload-result.ts';

export { createFileMemory } from './file-memory.ts';
export { openFile, openFolder } from './open-folder.ts';
export { UploadError, type UploadErrorCode } from './upload-error.ts';
export type { UploadMemory, UploadRecord } from './upload-memory.ts';
export type { UploadBody, UploadFile, UploadOptions } from './upload-options.ts';
export type { UploadProgress } from './upload-progress.ts';
export type { FileResult, FileStatus, UploadResult } from './upload-result.ts';

/**
 * Uploads files from Node over URLs that the key server presigns. Remembers nothing, unless it is given a `memory`, such
 * as {@link createFileMemory}.
 *
 * @throws UploadError `INVALID_OPTIONS`; the fate of each file is in the result
 */
export function upload(files: readonly UploadFile[], options: UploadOptions): Promise<UploadResult> {
  return uploadFiles(files, options, { ...commonPorts, put: putWithHttp });
}
