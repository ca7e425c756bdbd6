import { UploadError } from './upload-error.ts';
import type { UploadMemory, UploadRecord } from './upload-memory.ts';
import type { UploadProgress } from './upload-progress.ts';

/** The bytes of a file. A stream is read once, so each attempt asks for a new one. */
export type UploadBody = Blob | ReadableStream<Uint8Array>;

/** One file to upload, to `content/<contentId>/<path>`. */
export interface UploadFile {
  /** Relative, with `/` between its parts: `720p/00001.ts`. */
  readonly path: string;
  /** The bytes, or a function that opens them, called once for each attempt. */
  readonly data: Blob | Uint8Array<ArrayBuffer> | (() => UploadBody | Promise<UploadBody>);
  /** Bytes. Required if `data` is a function. */
  readonly size?: number | undefined;
  /** Default: by the extension of `path`, then the type of a Blob, then `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Changes with the bytes. Default: `lastModified` of a File, a SHA-256 of a Blob or an array. A function has no
   * fingerprint, and a file without one is not remembered.
   */
  readonly fingerprint?: string | undefined;
}

export interface UploadCacheControl {
  /** Of playlists and manifests (`.m3u8`, `.m3u`, `.mpd`). */
  readonly playlists?: string | undefined;
  /** Of all other files. */
  readonly segments?: string | undefined;
}

export interface UploadOptions {
  /**
   * Returns a fresh token (or API key) within 30 s, for each request to the key server. It is sent as `Authorization: Bearer`.
   */
  readonly auth: () => string | Promise<string>;
  /** Registered on the key server. */
  readonly contentId: string;
  /** Absolute http or https URL. */
  readonly keyServerUrl: string;
  /**
   * `Cache-Control` that the bucket keeps with the files: `public, max-age=<seconds>, immutable`, `public, max-age=<seconds>` or
   * `no-cache`. Default: none, and CDNs keep files by their own rule. In a browser, the bucket's CORS rules must allow the header.
   */
  readonly cacheControl?: UploadCacheControl | undefined;
  /** Files sent at the same time. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Attempts for each file before it counts as failed. Default: 8, which is about a minute. */
  readonly attempts?: number | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** When aborted, running requests and callbacks end at once, and the result reports what is done. */
  readonly signal?: AbortSignal | undefined;
  /** Remembers what has arrived, across reloads and restarts. null remembers nothing. */
  readonly memory?: UploadMemory | null | undefined;
  /**
   * Decides whether a file is already in the bucket. Default: if it is remembered with the same size and fingerprint. An
   * error, or no answer within 30 s, counts as no.
   */
  readonly exists?:
    | ((key: string, file: UploadFile, remembered: UploadRecord | undefined) => boolean | Promise<boolean>)
    | undefined;
}

/** The accepted values. Types do not help a caller in JavaScript, or if a variable of the environment is missing. */
const rules: readonly (readonly [
  name: keyof UploadOptions,
  accepted: string,
  isGood: (value: unknown) => boolean,
])[] = [
  ['auth', 'a function that gives a token', isFunction],
  // A missing id would pass the pattern as "undefined".
  [
    'contentId',
    '1 to 256 of A-Z a-z 0-9 _ -',
    (value) => typeof value === 'string' && /^[\w-]{1,256}$/.test(value),
  ],
  ['keyServerUrl', 'an absolute http or https URL', isHttpUrl],
  ['cacheControl', 'an object with the texts playlists and segments', orMissing(isCacheControl)],
  ['concurrency', 'a whole number, 1 or more', orMissing(isCount)],
  ['attempts', 'a whole number, 1 or more', orMissing(isCount)],
  ['onProgress', 'a function', orMissing(isFunction)],
  ['exists', 'a function', orMissing(isFunction)],
  ['signal', 'an AbortSignal', orMissing(hasMethods('addEventListener', 'throwIfAborted'))],
  [
    'memory',
    'null, or an object with get and set',
    (value) => value === null || orMissing(hasMethods('get', 'set'))(value),
  ],
];

/** @throws UploadError `INVALID_OPTIONS`, which names everything that is wrong */
export function checkOptions(files: readonly UploadFile[], options: UploadOptions): void {
  const given: Partial<Record<string, unknown>> = isObject(options) ? options : {};
  const faults = rules
    .filter(([name, , isGood]) => !isGood(given[name]))
    .map(([name, accepted]) => `${name}: ${given[name] === undefined ? 'missing; ' : ''}${accepted}`);
  if (!Array.isArray(files)) faults.push('files: an array, such as filesFromList or openFolder makes');
  else faults.push(...files.flatMap(findFileFault));
  if (faults.length > 0) throw new UploadError('INVALID_OPTIONS', faults.join('. '));
}

/** The result could not name a file without a path. */
function findFileFault(file: unknown, index: number): string[] {
  return isObject(file) && typeof file.path === 'string'
    ? []
    : [`files[${index}]: an object with a path and data`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
function isCacheControl(value: unknown): boolean {
  const isText = orMissing((text) => typeof text === 'string');
  return isObject(value) && isText(value.playlists) && isText(value.segments);
}
function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  // A path is appended to it.
  return /^https?:$/.test(protocol) && search === '' && hash === '';
}
function hasMethods(...names: readonly string[]): (value: unknown) => boolean {
  return (value) => isObject(value) && names.every((name) => isFunction(value[name]));
}
function orMissing(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isGood(value);
}
