/** What is known of a file that has arrived. */
export interface UploadRecord {
  /** Bytes. */
  readonly size: number;
  readonly fingerprint: string;
  readonly etag?: string | undefined;
}

/**
 * Remembers what has arrived. A place is the key server and the key in its bucket; a file that is uploaded there again
 * takes the place of its record.
 */
export interface UploadMemory {
  get(place: string): UploadRecord | undefined | Promise<UploadRecord | undefined>;
  /** Called after each acknowledged upload, before the file counts as uploaded. */
  set(place: string, record: UploadRecord): void | Promise<void>;
}

/** @returns undefined for anything else than a record: memory is read as it was found */
export function asRecord(value: unknown): UploadRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { size, fingerprint, etag } = value as Record<string, unknown>;
  if (typeof size !== 'number' || typeof fingerprint !== 'string') return undefined;
  return typeof etag === 'string' ? { size, fingerprint, etag } : { size, fingerprint };
}

/** Reaches a memory that may never answer: what has to be awaited is what this gives. */
export type AskMemory = <Value>(call: () => Value | Promise<Value>) => Promise<Value>;

/** A memory that cannot be read, or not in time, costs an upload that was not needed, and no more. */
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

/** One that is full (a browser's quota, a disk), or hangs, must not fail a file that has arrived. */
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
