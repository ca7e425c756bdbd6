import type { UploadError } from './upload-error.ts';

/**
 * `uploaded`: the store has acknowledged it. `skipped`: it was already there. `failed`: `error` says why. `aborted`: by the
 * signal.
 */
export type FileStatus = 'uploaded' | 'skipped' | 'failed' | 'aborted';

export interface FileResult {
  readonly path: string;
  /** Where it is in the bucket: `content/<contentId>/<path>`. */
  readonly key: string;
  readonly status: FileStatus;
  /** Bytes. */
  readonly size: number;
  /** 0 if it was skipped or never begun. */
  readonly attempts: number;
  /** Of the store, if the page may see it (CORS: `ExposeHeaders: ETag`). */
  readonly etag?: string;
  readonly error?: UploadError;
}

export interface UploadResult {
  /** Every file that was given, in its order. */
  readonly files: readonly FileResult[];
  /** Every file is in the bucket. */
  readonly complete: boolean;
  /** Bytes of all files. */
  readonly totalBytes: number;
  /** Bytes of those with the status `uploaded`. */
  readonly uploadedBytes: number;
  /** Bytes of those with the status `skipped`. */
  readonly skippedBytes: number;
}
