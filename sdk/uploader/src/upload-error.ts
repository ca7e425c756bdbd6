/**
 * Why a file was not uploaded, or why nothing was begun.
 *
 * | code | meaning |
 * |---|---|
 * | `INVALID_OPTIONS` | thrown by `upload()` itself, before any request |
 * | `INVALID_FILE` | a path that cannot be a key, a path that occurs twice, a missing size, a content key |
 * | `READ_FAILED` | the file cannot be read, or has another size than given |
 * | `AUTH_FAILED` | the `auth` callback failed, was late, or returned a token that no header can carry |
 * | `PRESIGN_REFUSED` | the key server refused; `status` and `serverCode` (`CONTENT_NOT_FOUND`, …) say why |
 * | `PRESIGN_UNAVAILABLE` | the key server could not be reached in time in any attempt |
 * | `STORE_REFUSED` | the bucket refused, also with a fresh URL; `serverCode` is its code (`AccessDenied`, …) |
 * | `STORE_UNAVAILABLE` | the bucket could not be reached; in a browser also: its CORS rules do not allow this page |
 * | `NAMED_FILE_MISSING` | a playlist was held back because a file that it names was not uploaded |
 * | `ABORTED` | the signal was aborted |
 */
export type UploadErrorCode =
  | 'INVALID_OPTIONS'
  | 'INVALID_FILE'
  | 'READ_FAILED'
  | 'AUTH_FAILED'
  | 'PRESIGN_REFUSED'
  | 'PRESIGN_UNAVAILABLE'
  | 'STORE_REFUSED'
  | 'STORE_UNAVAILABLE'
  | 'NAMED_FILE_MISSING'
  | 'ABORTED';

export interface UploadErrorDetails {
  /** HTTP status of the answer that decided. */
  status?: number | undefined;
  /** The code in that answer: of Latchkey's problem (RFC 9457), or of the store's XML. */
  serverCode?: string | undefined;
  cause?: unknown;
}

export class UploadError extends Error {
  override readonly name = 'UploadError';
  readonly code: UploadErrorCode;
  readonly status: number | undefined;
  readonly serverCode: string | undefined;

  constructor(
    code: UploadErrorCode,
    message: string,
    { status, serverCode, cause }: UploadErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.serverCode = serverCode;
  }
}
