import { AppError, codes, type ErrorCode } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import { unavailable } from '../refusal.ts';
import { hideUrls, showUrl } from '../show-url.ts';

/** A key server, and how to wait for it. */
export interface ServerAccess extends Pick<CommandContext, 'wait'> {
  /** Absolute http or https URL without a slash at its end. */
  readonly server: string;
  /** `lk_…`; never part of a message. */
  readonly apiKey: string;
}

interface ServerRequest {
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
/** A replica knows a change of content within 5 s at the latest (`docs/reference/contract.md#age-of-a-state`), and one more to be sure. */
export const staleForSeconds = 6;
/** For a 503 or 429 without `Retry-After`. */
const defaultRetrySeconds = 1;
/** Rate limits count by the minute (`docs/reference/contract.md#rate-limits`), so no longer wait than two of them is needed. */
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
  // Undefined without a body.
  const payload: unknown = bytes ?? JSON.stringify(body);
  const type = bytes ? 'application/octet-stream' : 'application/json';
  const timeout = AbortSignal.timeout(requestTimeoutMs);
  try {
    return await fetch(`${server}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(payload !== undefined && { 'content-type': type }) },
      body: (payload ?? null) as string | null,
      // A redirect must not get the API key.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const inner = (cause as Error).cause as NodeJS.ErrnoException | undefined;
    const reason =
      inner?.code ?? (timeout.aborted ? 'no answer in time' : hideUrls((cause as Error).message));
    throw unavailable(`--server ${server} cannot be reached (${reason})`, cause);
  }
}

function retryAfterSeconds(headers: Headers): number {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Math.min(Number(text), longestRetrySeconds) : defaultRetrySeconds;
}

/** By the problem of the answer (RFC 9457). Of its findings about the request, the first is shown. */
async function toError(access: ServerAccess, request: ServerRequest, answer: Response): Promise<AppError> {
  const problem = Object(await answer.json().catch(() => undefined)) as Record<string, unknown>;
  const { code: stated, errors } = problem;
  const code = typeof stated === 'string' && Object.hasOwn(codes, stated) ? (stated as ErrorCode) : undefined;
  const detail = typeof problem.detail === 'string' ? problem.detail : '';
  const [first] = Array.isArray(errors) ? errors : [];
  const isFinding = typeof first?.path === 'string' && typeof first.message === 'string';
  const reason = detail !== '' && isFinding ? `${detail} ${first.path} ${first.message}.` : detail;
  const location = answer.headers.get('location');
  const said = location ? `a redirect to ${showUrl(location)}; give that address as --server` : reason;
  const what = `${request.method} ${showUrl(access.server + request.path)}: ${answer.status} ${code ?? ''}`;
  return new AppError(code ?? codeOfStatus(answer.status), {
    detail: [what.trim(), said].filter(Boolean).join(': '),
  });
}

/** For the `catch` of a request. @param advice what to do about an error of the server, by its code. The server's detail names what is missing */
export function advise(advice: { readonly [Code in ErrorCode]?: string }): (error: unknown) => never {
  return (error) => {
    const text = error instanceof AppError && advice[error.code];
    throw text ? new AppError(error.code, { detail: `${error.detail} ${text}`, cause: error }) : error;
  };
}

/** {@link advise} for requests that need a registered content. */
export const adviceToRegister = {
  CONTENT_NOT_FOUND: 'Register the content first, or give --register.',
};

/** For an answer of something else than Latchkey, such as a proxy. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'INVALID_API_KEY';
  if (status === 403) return 'INSUFFICIENT_SCOPE';
  if (status === 404) return 'NOT_FOUND';
  return status >= 500 ? 'DEPENDENCY_UNAVAILABLE' : 'INTERNAL';
}
