import type { UploadMemory, UploadRecord } from './upload-memory.ts';
import type { UploadProgress } from './upload-progress.ts';

/** The bytes of a file. A stream is read once, so each attempt asks for a new one. */
export type UploadBody = Blob | ReadableStream<Uint8Array>;

/** One file to upload, to `content/<contentId>/<path>`. */
export interface UploadFile {
  /** Relative, with `/` between its parts: `720p/00001.ts`. */
  readonly path: string;
  /** The bytes, or what opens them: called once for each attempt. */
  readonly data: Blob | Uint8Array<ArrayBuffer> | (() => UploadBody | Promise<UploadBody>);
  /** Bytes. Needed where `data` is a function. */
  readonly size?: number | undefined;
  /** Default: by the extension of `path`, then the type of a Blob, then `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Changes whenever the bytes do. Default: `lastModified` of a File, a SHA-256 of a Blob or an array. A function has
   * none, and without one a file is not remembered.
   */
  readonly fingerprint?: string | undefined;
}

export interface UploadOptions {
  /**
   * A fresh token (or API key) for each request to the key server: it is sent as `Authorization: Bearer`. Given within
   * 30 s, or the file fails.
   */
  readonly auth: () => string | Promise<string>;
  /** Registered on the key server. */
  readonly contentId: string;
  /** Absolute http or https URL. */
  readonly keyServerUrl: string;
  /** Files that are sent at the same time; default 4. */
  readonly concurrency?: number | undefined;
  /** Attempts for each file before it counts as failed; default 8, which lasts out a minute of silence. */
  readonly attempts?: number | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Aborted: requests and callbacks in flight are given up at once, and the result tells what is done. */
  readonly signal?: AbortSignal | undefined;
  /** What has arrived already, across reloads and restarts; null remembers nothing. */
  readonly memory?: UploadMemory | null | undefined;
  /**
   * Decides whether a file is in the bucket already and needs no upload. Default: where it is remembered with the same
   * size and fingerprint. Throwing, or no answer
   * within 30 s, counts as no.
   */
  readonly exists?:
    | ((key: string, file: UploadFile, remembered: UploadRecord | undefined) => boolean | Promise<boolean>)
    | undefined;
}
