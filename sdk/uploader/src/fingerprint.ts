import type { UploadFile } from './upload-options.ts';

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
