import { commonPorts } from './ports.ts';
import { putWithFetch, putWithXhr } from './put-in-browser.ts';
import { uploadFiles } from './upload-files.ts';
import { asRecord, type UploadMemory } from './upload-memory.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import type { UploadResult } from './upload-result.ts';

export { UploadError, type UploadErrorCode } from './upload-error.ts';
export type { UploadMemory, UploadRecord } from './upload-memory.ts';
export type { UploadBody, UploadCacheControl, UploadFile, UploadOptions } from './upload-options.ts';
export type { UploadProgress } from './upload-progress.ts';
export type { FileResult, FileStatus, UploadResult } from './upload-result.ts';

/**
 * Uploads files from a browser over URLs that the key server presigns. Remembers in `localStorage` what has arrived, unless
 * `memory` is given.
 *
 * @throws UploadError `INVALID_OPTIONS`; everything else is in the result
 */
export function upload(files: readonly UploadFile[], options: UploadOptions): Promise<UploadResult> {
  const put = typeof XMLHttpRequest === 'undefined' ? putWithFetch : putWithXhr;
  const memory = options?.memory === undefined ? defaultMemory() : options.memory;
  return uploadFiles(files, { ...options, memory }, { ...commonPorts, put });
}

/** @returns null in a worker, and if the user has forbidden storage: then reading `localStorage` throws */
function defaultMemory(): UploadMemory | null {
  try {
    return createLocalStorageMemory(localStorage);
  } catch {
    return null;
  }
}

/** A File as an `<input type="file">` or a drop gives it. */
type PickedFile = Blob & { readonly name: string; readonly webkitRelativePath?: string };

/**
 * The files of an `<input type="file">`. With `webkitdirectory`, paths are relative to the picked folder. Files whose name
 * begins with a dot are left out.
 */
export function filesFromList(list: Iterable<PickedFile> | ArrayLike<PickedFile>): UploadFile[] {
  return Array.from(list, (data) => ({
    path: data.webkitRelativePath?.replace(/^[^/]*\//, '') || data.name,
    data,
  })).filter(({ path }) => !/(^|\/)\./.test(path));
}

/** Before each place, since the whole origin shares the storage. */
const prefix = 'latchkey-upload ';

/** Remembers in the browser's `localStorage`, or in another Storage. One item for each file, so that tabs do not collide. */
export function createLocalStorageMemory(storage: Pick<Storage, 'getItem' | 'setItem'>): UploadMemory {
  return {
    get(place) {
      const text = storage.getItem(prefix + place);
      return text === null ? undefined : asRecord(JSON.parse(text));
    },
    set: (place, record) => storage.setItem(prefix + place, JSON.stringify(record)),
  };
}
