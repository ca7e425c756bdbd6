import { codes, type ErrorCode } from './codes.ts';

export interface AppErrorOptions {
  /** One sentence for the client. It never has a credential and, on a 5xx, never the inner cause. */
  detail?: string;
  /** The inner cause: for the operator's log, never for the client. */
  cause?: unknown;
  /** Members of the problem in addition to the usual ones, such as `errors`, `leases` or `scope`. */
  members?: Record<string, unknown>;
  /** Seconds, for 429 and 503: when a retry makes sense. */
  retryAfterSeconds?: number;
}

/** The only error type of the code and of calls between services. Any other thrown value becomes a bare 500. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string | undefined;
  readonly members: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(
      options.detail ?? codes[code].title,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AppError';
    this.code = code;
    this.status = codes[code].status;
    this.detail = options.detail;
    this.members = options.members;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
