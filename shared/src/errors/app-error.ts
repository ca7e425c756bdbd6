import { codes, type ErrorCode } from './codes.ts';

export interface AppErrorOptions {
  /** One sentence for the client. Never a credential and, on a 5xx, never the inner cause. */
  detail?: string;
  /** What happened inside: for the operator's log, never for the client. */
  cause?: unknown;
  /** Members that the problem carries beside the usual ones, such as `errors`, `leases` or `scope`. */
  members?: Record<string, unknown>;
  /** For 429 and 503: when another attempt makes sense. */
  retryAfterSeconds?: number;
}

/** The one error type of the code and of the wire between services. Anything else that is thrown is a bare 500. */
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
