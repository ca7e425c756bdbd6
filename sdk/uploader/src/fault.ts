import type { UploadError } from './upload-error.ts';

/**
 * - `never`: a definite refusal, or nothing that time mends
 * - `later`: after a pause
 * - `once`: at once, but twice in a row is `never`: a token or a URL that may have just run out
 */
export type Retry = 'never' | 'later' | 'once';

/** An attempt that failed, and what to do about it. */
export class Fault extends Error {
  readonly error: UploadError;
  readonly retry: Retry;
  /** What the answer asked for, in its `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** The URL is not to be used again. */
  readonly urlSpent: boolean;

  constructor(
    error: UploadError,
    retry: Retry,
    { retryAfterMs, urlSpent = false }: { retryAfterMs?: number | undefined; urlSpent?: boolean } = {},
  ) {
    super(error.message, { cause: error });
    this.error = error;
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
    this.urlSpent = urlSpent;
  }
}

/** Whether the same request may be answered otherwise in a while (RFC 9110 section 15, RFC 6585 section 4). */
export function isPassing(status: number): boolean {
  // 501 and 505 are what a server cannot do.
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);
}
