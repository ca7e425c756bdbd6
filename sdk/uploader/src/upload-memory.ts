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
