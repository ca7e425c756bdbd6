import type { Problem } from './schema.ts';

/** An error answer of the server, from its problem document (RFC 9457). */
export class ApiError extends Error {
  readonly status: number;
  /** One of the server's codes; `HTTP_<status>` if the answer was not a problem document. */
  readonly code: string;
  readonly detail: string;
  /** Identifies the request in the server's log. */
  readonly requestId: string | null;
  /** Errors in the body or the query, by JSON pointer. */
  readonly errors: readonly { path: string; message: string }[];
  /** Seconds until the next attempt makes sense; null if the server did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, problem: Partial<Problem>, retryAfterSeconds: number | null = null) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code ?? `HTTP_${status}`;
    this.detail = this.message;
    this.requestId = problem.requestId ?? null;
    this.errors = problem.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The server's messages about the fields of a form: `/keyPeriods/count` is `keyPeriods.count`, and `/contents/12` is `contents`. */
export function fieldFaultsOf(error: unknown): Record<string, string> {
  const faults: Record<string, string> = {};
  if (!(error instanceof ApiError)) return faults;
  for (const { path, message } of error.errors) {
    const member = path.slice(1).replace(/\/\d+$/, '');
    faults[member.replaceAll('/', '.')] ??= message;
  }
  return faults;
}

/** The server did not answer, or a proxy answered in its place: it is down or unreachable. */
export class UnreachableError extends Error {
  constructor(cause?: unknown) {
    super('The server does not answer.', { cause });
    this.name = 'UnreachableError';
  }
}

/** A 2xx answer without valid JSON: something else may have answered in place of the server. */
export class UnreadableError extends Error {
  constructor(cause?: unknown) {
    super('The answer could not be read.', { cause });
    this.name = 'UnreadableError';
  }
}

/** A proxy sends these when nothing answers behind it (RFC 9110 sections 15.6.3 and 15.6.5). */
const proxyFaults = [502, 504];

/** The error for an answer other than 2xx. */
export async function readError(response: Response): Promise<Error> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  if (!isProblem && proxyFaults.includes(response.status)) return new UnreachableError(response.status);
  const problem: Partial<Problem> = isProblem ? await response.json().catch(() => ({})) : {};
  const requestId = problem.requestId ?? response.headers.get('x-request-id');
  const named = requestId === null ? problem : { ...problem, requestId };
  return new ApiError(response.status, named, readRetryAfter(response.headers.get('retry-after')));
}

/** Seconds, or a date (RFC 9110 section 10.2.3). @returns seconds from now */
function readRetryAfter(written: string | null): number | null {
  if (written === null) return null;
  if (/^\d+$/.test(written)) return Number(written);
  const ms = Date.parse(written) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, Math.ceil(ms / 1_000));
}
