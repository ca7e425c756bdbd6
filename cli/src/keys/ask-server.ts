import { AppError, codes, type ErrorCode } from '@latchkey/shared/errors';
import { hideUrls, showUrl } from '../show-url.ts';

/** A key server, and how to wait for it. */
export interface ServerAccess {
  /** Absolute http or https URL without a slash at its end. */
  readonly server: string;
  /** `lk_…`; never part of a message. */
  readonly apiKey: string;
  /** Resolves after so many seconds; rejects once the signal is aborted. */
  readonly wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as they are, in place of `body`. */
  readonly bytes?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

/** A server that restarts or loses its database is back by then. Otherwise an operator has to look. */
const attempts = 5;
/** For a 503 or 429 without `Retry-After`. */
const defaultRetrySeconds = 1;
/** Rate limits count by the minute (`docs/contract.md#rate-limits`), so no longer wait than two of them is needed. */
const longestRetrySeconds = 120;
/** The server answers a key request within a second or not at all. A proxy may take longer. */
const requestTimeoutMs = 30_000;

/**
 * One request with the API key. 503 and 429 are retried as their `Retry-After` says, since an encoder can wait.
 *
 * @returns a 2xx answer
 * @throws AppError with the code and the detail of the server's problem (RFC 9457)
 */
export async function askServer(access: ServerAccess, request: ServerRequest): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(access, request);
    if (answer.ok) return answer;
    const error = await toError(access, request, answer);
    if (attempt === attempts || (answer.status !== 503 && answer.status !== 429)) throw error;
    await access.wait(retryAfterSeconds(answer.headers), request.signal);
  }
}

async function send({ server, apiKey }: ServerAccess, request: ServerRequest): Promise<Response> {
  const { method, path, body, bytes, signal } = request;
  const type = bytes ? 'application/octet-stream' : body === undefined ? null : 'application/json';
  const payload = bytes ?? (body === undefined ? null : JSON.stringify(body));
  const timeout = AbortSignal.timeout(requestTimeoutMs);
  try {
    return await fetch(`${server}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(type && { 'content-type': type }),
      },
      ...(payload === null ? {} : { body: payload as string }),
      // A redirect must not get the API key.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const inner = (cause as Error).cause as NodeJS.ErrnoException | undefined;
    const reason =
      inner?.code ?? (timeout.aborted ? 'no answer in time' : hideUrls((cause as Error).message));
    throw new AppError('DEPENDENCY_UNAVAILABLE', {
      detail: `--server ${server} cannot be reached (${reason})`,
      cause,
    });
  }
}

function retryAfterSeconds(headers: Headers): number {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Math.min(Number(text), longestRetrySeconds) : defaultRetrySeconds;
}

async function toError(access: ServerAccess, request: ServerRequest, answer: Response): Promise<AppError> {
  const problem = await readProblem(answer);
  const code = problem.code ?? codeOfStatus(answer.status);
  const what = `${request.method} ${showUrl(access.server + request.path)}: ${answer.status}`;
  const location = answer.headers.get('location');
  const said = location
    ? `a redirect to ${showUrl(location)}; give that address as --server`
    : describeProblem(problem);
  return new AppError(code, {
    detail: [`${what} ${problem.code ?? ''}`.trim(), said].filter(Boolean).join(': '),
    members: { errors: problem.errors },
  });
}

interface Problem {
  readonly code?: ErrorCode;
  readonly detail?: string;
  /** What is wrong with the request: each with its place in the body. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

async function readProblem(answer: Response): Promise<Problem> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null) return { errors: [] };
  const { code, detail, errors } = body as Record<string, unknown>;
  return {
    errors: Array.isArray(errors) ? errors.filter(isFinding) : [],
    ...(typeof code === 'string' && Object.hasOwn(codes, code) ? { code: code as ErrorCode } : {}),
    ...(typeof detail === 'string' ? { detail } : {}),
  };
}

function isFinding(value: unknown): value is Problem['errors'][number] {
  if (typeof value !== 'object' || value === null) return false;
  const { path, message } = value as Record<string, unknown>;
  return typeof path === 'string' && typeof message === 'string';
}

function describeProblem({ detail, errors }: Problem): string | undefined {
  const [first] = errors;
  return first && detail ? `${detail} ${first.path} ${first.message}.` : detail;
}

/** For an answer of something else than Latchkey, such as a proxy. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'INVALID_API_KEY';
  if (status === 403) return 'INSUFFICIENT_SCOPE';
  if (status === 404) return 'NOT_FOUND';
  return status >= 500 ? 'DEPENDENCY_UNAVAILABLE' : 'INTERNAL';
}
