/** An answer that is a refusal or a fault: what the problem document (RFC 9457) said. */
export class ApiError extends Error {
  readonly status: number;
  /** One of the server's codes; `HTTP_<status>` where the answer was no problem document. */
  readonly code: string;
  readonly detail: string;
  /** By which the server's log names the request. */
  readonly requestId: string | null;
  /** What is wrong with the body or the query, by JSON pointer. */
  readonly errors: readonly { path: string; message: string }[];
  /** When another attempt makes sense; null where the server did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, problem: Problem, retryAfterSeconds: number | null = null) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code ?? `HTTP_${status}`;
    this.detail = this.message;
    this.requestId = problem.requestId ?? null;
    this.errors = problem.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The message for one member of the body, such as `name`. */
  about(member: string): string | undefined {
    return this.errors.find(({ path }) => path === `/${member}`)?.message;
  }
}

/** Nothing answered, or what answered was not the server: it ended, or the way to it is cut. */
export class UnreachableError extends Error {
  constructor(cause?: unknown) {
    super('The server does not answer.', { cause });
    this.name = 'UnreachableError';
  }
}

/** The server answered 2xx, and what it said cannot be read: something between may have answered in its place. */
export class UnreadableError extends Error {
  constructor(cause?: unknown) {
    super('The answer cannot be read.', { cause });
    this.name = 'UnreadableError';
  }
}

interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  requestId?: string;
  errors?: { path: string; message: string }[];
}

/** What a proxy says when there is nothing behind it (RFC 9110 sections 15.6.3 and 15.6.5). */
const proxyFaults = [502, 504];

/** The error that an answer other than 2xx stands for. */
export async function readError(response: Response): Promise<Error> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  if (!isProblem && proxyFaults.includes(response.status)) return new UnreachableError(response.status);
  const problem: Problem = isProblem ? await response.json().catch(() => ({})) : {};
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
