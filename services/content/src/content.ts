import { url } from '@latchkey/shared/config';
import type { ContentState, ContentStatus, KeyPeriods } from '@latchkey/shared/contracts';
import { validationFailure } from '@latchkey/shared/http';

/** A registered content. Times are milliseconds since 1970. */
export interface Content extends Omit<ContentState, 'playlistUrl' | 'importedKeysRevision'> {
  id: string;
  name: string;
  keyPeriods: KeyPeriods | null;
  /** Bytes; null if not given. */
  sizeBytes: number | null;
  /** Where the manifest lies in the bucket; null if not given. */
  manifestKey: string | null;
  /** Where sessions get its playlist; null if not given. */
  playlistUrl: string | null;
  metadata: Metadata;
  createdAt: number;
  updatedAt: number;
}

export type Metadata = Record<string, unknown>;

/** The members of a content that can change. Its id and key version never do. */
export interface ContentFields {
  name: string;
  status: ContentStatus;
  keyPeriods: KeyPeriods | null;
  sizeBytes: number | null;
  manifestKey: string | null;
  playlistUrl: string | null;
  metadata: Metadata;
}

/** 16 KiB of JSON text: `docs/reference/contract.md#content`. */
const maxMetadataBytes = 16 * 1024;
/** Far more than people write. Deeper nesting could exhaust the stack of code that prints it. */
const maxMetadataDepth = 32;

/**
 * @returns the same object
 * @throws AppError VALIDATION_FAILED if it is nested too deeply or too large
 */
export function readMetadata(metadata: Metadata): Metadata {
  if (isDeeperThan(metadata, maxMetadataDepth)) {
    throw validationFailure('/metadata', `must not be nested deeper than ${maxMetadataDepth} levels`);
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    throw validationFailure('/metadata', `must not have more than ${maxMetadataBytes} bytes of JSON text`);
  }
  return metadata;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

const absoluteUrl = url('http', 'https');

/** The longest key of an S3 object (its API reference: 1,024 bytes). */
export const maxManifestKeyLength = 1_024;

/** @throws AppError VALIDATION_FAILED if it has characters that no object key should have */
export function readManifestKey(text: string): string {
  if (/\p{Cc}/u.test(text)) throw validationFailure('/manifestKey', 'must not have control characters');
  if (!text.isWellFormed()) throw validationFailure('/manifestKey', 'must be valid Unicode');
  return text;
}

/** As long as browsers and proxies take a URL everywhere (RFC 9110 section 4.1 recommends 8,000; older CDNs take 2,048). */
export const maxPlaylistUrlLength = 2_048;

/**
 * @param listed `PLAYLIST_ORIGINS`
 * @returns the same text
 * @throws AppError VALIDATION_FAILED
 */
export function readPlaylistUrl(text: string, listed: readonly string[]): string {
  const { error } = absoluteUrl.safeParse(text);
  if (error) throw validationFailure('/playlistUrl', error.issues[0]?.message ?? '');
  if (!text.isWellFormed()) throw validationFailure('/playlistUrl', 'must be valid Unicode');
  const { origin } = new URL(text);
  if (listed.includes(origin)) return text;
  throw validationFailure('/playlistUrl', `has the origin ${origin}, which PLAYLIST_ORIGINS does not list`);
}

/** Folds case and composition, so that a search for `été` finds `Été` in any composition. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
