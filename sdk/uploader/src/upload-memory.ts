import type { UploadFile } from './upload-options.ts';

/** A file that has arrived. */
export interface UploadRecord {
  /** Bytes. */
  readonly size: number;
  readonly fingerprint: string;
  readonly etag?: string | undefined;
}

/**
 * Remembers what has arrived. A place is the key server and the key in its bucket. Another upload there replaces the record.
 */
export interface UploadMemory {
  get(place: string): UploadRecord | undefined | Promise<UploadRecord | undefined>;
  /** Called after each acknowledged upload, before the file counts as uploaded. */
  set(place: string, record: UploadRecord): void | Promise<void>;
}

/** @returns undefined for any other value, since others can write to the memory */
export function asRecord(value: unknown): UploadRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { size, fingerprint, etag } = value as Record<string, unknown>;
  if (typeof size !== 'number' || typeof fingerprint !== 'string') return undefined;
  return typeof etag === 'string' ? { size, fingerprint, etag } : { size, fingerprint };
}

/** Calls a memory that may never answer, with a time limit. */
export type AskMemory = <Value>(call: () => Value | Promise<Value>) => Promise<Value>;

/** A memory that cannot be read in time only costs an unneeded upload. */
export async function recall(
  memory: UploadMemory | null | undefined,
  place: string,
  { size, fingerprint }: { readonly size: number; readonly fingerprint: string | undefined },
  ask: AskMemory,
): Promise<UploadRecord | undefined> {
  try {
    const record = memory ? await ask(() => memory.get(place)) : undefined;
    return record?.size === size && record.fingerprint === fingerprint ? record : undefined;
  } catch {
    return undefined;
  }
}

/** A memory that is full (a browser's quota, a disk) or hangs must not fail a file that has arrived. */
export async function remember(
  memory: UploadMemory | null | undefined,
  place: string,
  record: UploadRecord,
  ask: AskMemory,
): Promise<void> {
  try {
    if (memory) await ask(() => memory.set(place, record));
  } catch {}
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
