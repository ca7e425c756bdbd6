import type { Clock } from '@latchkey/shared/clock';
import type { ContentKeySource, WrittenContent } from './content-key-source.ts';

/** Progress of an encryption. */
export interface EncryptReport {
  /** @param text one sentence about something left out or kept unchanged */
  warn?(text: string): void;
  /** Once, before the first file. */
  start?(total: { files: number; bytes: number }): void;
  /** After each file. @param bytes of input read for it */
  fileDone?(bytes: number): void;
}

export interface EncryptOptions {
  /** Path of a multivariant or media playlist. */
  readonly playlist: string;
  /** `[A-Za-z0-9_-]{1,256}`, and not `leases`. */
  readonly contentId: string;
  readonly outFolder: string;
  /** Replace an `outFolder` that is not empty. It stays until the new one is complete. */
  readonly force?: boolean;
  readonly keys: ContentKeySource;
  /** Absolute http or https URL; players fetch `<keyUrlBase>/keys/<contentId>[/<epoch>]`. */
  readonly keyUrlBase: string;
  /** Segments of an epoch, 1 or more. Default: one key for all. */
  readonly rotateEverySegments?: number | undefined;
  /** A content id for each rendition: `<contentId>-<name of the rendition>`. */
  readonly perRenditionIds?: boolean;
  /** File names without a hash of the bytes. */
  readonly plainNames?: boolean;
  /** Nothing outside this folder is read. Default: the folder of `playlist`. */
  readonly sourceRoot?: string | undefined;
  /** A cryptographic source, such as `randomBytes` of node:crypto. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly clock: Clock;
  readonly report?: EncryptReport;
  /** A file that the output folder contains from the start, by its name there. */
  readonly stamp?: { readonly path: string; readonly text: string } | undefined;
  /** If it is aborted, what was written is removed, and the promise rejects. */
  readonly signal?: AbortSignal;
}

export interface Summary {
  /** Absolute path of the playlist to give to players. */
  readonly playlist: string;
  readonly outFolder: string;
  /** Without I-frame playlists, as `segments` are without their I-frames. */
  readonly renditions: number;
  readonly segments: number;
  readonly iFramePlaylists: number;
  /** Bytes written, playlists not counted. */
  readonly bytes: number;
  /** Number of epochs; 0 without rotation. */
  readonly epochs: number;
  readonly contentIds: readonly string[];
  /** The same contents, with the epochs that the playlists have. */
  readonly contents: readonly WrittenContent[];
  /** Every key URL in the playlists, in the order of its first use. */
  readonly keyUrls: readonly string[];
  readonly warnings: readonly string[];
}
