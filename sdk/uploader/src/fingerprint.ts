import type { UploadFile } from './upload-options.ts';

/** Bytes that are in memory at a time while a file is hashed: WebCrypto hashes nothing piece by piece. */
const sliceBytes = 4 * 1024 * 1024;

/**
 * What tells two states of a file apart: `lastModified` where somebody keeps it, else a hash of hashes of its slices.
 *
 * @returns undefined where neither can be had: a function as data, or a page without WebCrypto (not served over https)
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
  const octets = new Uint8Array(await digest(new Blob(parts)));
  return `sha256 ${Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')}`;
}
