import type { Ports } from '../ports.ts';
import { uploadFiles } from '../upload-files.ts';
import type { UploadMemory, UploadRecord } from '../upload-memory.ts';
import type { UploadFile, UploadOptions } from '../upload-options.ts';

/** A small file whose bytes are its path. */
export function textFile(path: string, text = path): UploadFile {
  return { path, data: new TextEncoder().encode(text) };
}

/** The same, opened when it is sent. It has no fingerprint, so no time is spent on a hash before it is sent. */
export function lazyFile(path: string): UploadFile {
  return { path, size: path.length, data: () => new Blob([path]) };
}

/** Uploads to the content `film` with the token `token`. */
export function uploadHere(files: readonly UploadFile[], ports: Ports, more: Partial<UploadOptions> = {}) {
  const options = { auth: () => 'token', contentId: 'film', keyServerUrl: 'https://keys.example.com' };
  return uploadFiles(files, { ...options, ...more }, ports);
}

/** A memory, and what is in it. */
export function createMapMemory(): UploadMemory & { records: Map<string, UploadRecord> } {
  const records = new Map<string, UploadRecord>();
  return {
    records,
    get: (place) => records.get(place),
    set: (place, record) => void records.set(place, record),
  };
}
