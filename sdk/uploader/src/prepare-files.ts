import { contentTypeOf, isContentKey, isManifest } from './content-types.ts';
import { UploadError } from './upload-error.ts';
import type { FileWork } from './upload-file.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';

/** A file with everything that its upload needs, or the reason why it cannot be uploaded. */
export interface PreparedFile extends FileWork {
  readonly refusal: UploadError | undefined;
}

/** RFC 9110 section 8.3: of unknown type. */
const unknownType = 'application/octet-stream';

/** Finds the key, type, `Cache-Control` and size of each file, and refuses the files that cannot be uploaded. */
export function prepareFiles(
  files: readonly UploadFile[],
  { contentId, cacheControl }: Pick<UploadOptions, 'contentId' | 'cacheControl'>,
): PreparedFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const { path, data } = file;
    const size = file.size ?? (typeof data === 'function' ? Number.NaN : sizeOf(data));
    const blobType = data instanceof Blob ? data.type : '';
    const contentType = file.contentType ?? contentTypeOf(path) ?? (blobType || unknownType);
    const fault = findFault(file, size) ?? (taken.has(path) ? 'the path was given twice' : undefined);
    taken.add(path);
    return {
      file,
      key: `content/${contentId}/${path}`,
      contentType,
      cacheControl: isManifest(path) ? cacheControl?.playlists : cacheControl?.segments,
      size: Number.isNaN(size) ? 0 : size,
      refusal: fault === undefined ? undefined : new UploadError('INVALID_FILE', fault),
    };
  });
}

function sizeOf(data: Blob | Uint8Array | undefined): number {
  return (data instanceof Blob ? data.size : data?.byteLength) ?? Number.NaN;
}

function findFault({ path, data }: UploadFile, size: number): string | undefined {
  if (!(typeof data === 'function' || data instanceof Blob || ArrayBuffer.isView(data)))
    return 'data is missing; accepted: a Blob, a Uint8Array or a function';
  // Empty, `.` and `..` segments: the rules of POST /presign.
  if (path.split('/').some((segment) => ['', '.', '..'].includes(segment))) {
    return 'the path has an empty, "." or ".." part; accepted: a relative path with "/" between its parts';
  }
  if (isContentKey(path)) return 'a content key is never uploaded: players fetch it from the key server';
  if (!(Number.isSafeInteger(size) && size >= 0)) return 'size is missing; a function as data needs it';
  return undefined;
}

/** Bytes in memory while a file is hashed, since WebCrypto cannot hash in pieces. */
const sliceBytes = 4 * 1024 * 1024;

/**
 * Distinguishes two states of a file: by `lastModified` if it has one, else by a hash of the hashes of its slices.
 *
 * @returns undefined for a function as data, and in a page without WebCrypto (not served over https)
 */
export async function fingerprintOf({ data, fingerprint }: UploadFile): Promise<string | undefined> {
  if (fingerprint !== undefined) return fingerprint;
  if (typeof data === 'function') return undefined;
  if (data instanceof Blob && 'lastModified' in data) return `modified ${data.lastModified}`;
  return globalThis.crypto?.subtle ? hash(data instanceof Blob ? data : new Blob([data])) : undefined;
}

async function hash(blob: Blob): Promise<string> {
  const digest = async (part: Blob) => crypto.subtle.digest('SHA-256', await part.arrayBuffer());
  const parts: ArrayBuffer[] = [];
  for (let start = 0; start < blob.size; start += sliceBytes) {
    parts.push(await digest(blob.slice(start, start + sliceBytes)));
  }
  const bytes = new Uint8Array(await digest(new Blob(parts)));
  return `sha256 ${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
