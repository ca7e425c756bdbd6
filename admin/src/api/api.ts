import { ApiError, readError, UnreachableError, UnreadableError } from './api-error.ts';
import { untilApplied } from './applied.ts';
import { ofDashboard, type RateLimit } from './rate-limit.ts';

interface RequestOptions {
  /** Undefined and empty members are left out. */
  query?: Record<string, string | number | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Refuses with 412 what exists already (`If-None-Match: *`). */
  isNewOnly?: boolean;
  /** Leaves counts out (`Prefer: return=minimal`). */
  isMinimal?: boolean;
  /** Replaces the session's key in `Authorization: Bearer`; null sends no header. */
  credential?: string | null;
}

/** The HTTP API of the server, called with the session's key. */
export interface Api {
  /**
   * @param path with a leading slash
   * @returns the parsed body; undefined for 204
   * @throws ApiError for any answer but 2xx, and for a read before the time that a 429 has named; UnreachableError if no
   *   complete answer arrived; UnreadableError for a 2xx that is not JSON
   */
  request<Answer>(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /**
   * For long answers. Only the head has a time limit. The caller can abort the body.
   *
   * @returns the answer to a GET, with its body unread
   * @throws like `request`. A body that breaks off rejects its reader
   */
  open(path: string, options: RequestOptions): Promise<Response>;
}

export interface ApiOptions {
  /** Sends a request to a path of this server, which it completes to a URL. */
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  credential: () => string | null;
  /** Called after every attempt. */
  onContact: (reached: boolean) => void;
  rateLimit: RateLimit;
  /** Called with the `Date` header of every answer and the time of its request, in milliseconds since 1970. */
  onDate?: (date: string | null, sentAtMs: number) => void;
  /** Called when the session's key is refused with INVALID_API_KEY. */
  onKeyRefused: (credential: string) => void;
}

/** Longer than the gateway waits for a service (7 s), so that the gateway's answer arrives. */
const timeoutMs = 15_000;
/** Longer than it waits for a change to be applied everywhere (110 s). With the usual limit of 5 s, that takes less. */
const appliedTimeoutMs = 115_000;

export function createApi(apiOptions: ApiOptions): Api {
  const { credential, onContact, onKeyRefused, rateLimit, onDate } = apiOptions;

  /** @param timeout also ends the reading of the body */
  async function ask(
    method: string,
    path: string,
    options: RequestOptions,
    timeout: AbortSignal,
  ): Promise<Response> {
    const own = options.credential === undefined;
    const isRead = method === 'GET';
    if (own && isRead && rateLimit.secondsLeft() > 0)
      throw new ApiError(429, { code: 'RATE_LIMITED' }, rateLimit.secondsLeft());
    const bearer = own ? credential() : (options.credential ?? null);
    const sentAtMs = Date.now();
    const response = await send(apiOptions, { method, path, bearer, timeout }, options);
    onDate?.(response.headers.get('date'), sentAtMs);
    const error = response.ok ? null : await readError(response);
    if (isRead && error instanceof ApiError && error.status === 429) rateLimit.pause(error.retryAfterSeconds);
    onContact(!(error instanceof UnreachableError));
    if (error instanceof ApiError && error.code === 'INVALID_API_KEY' && own && bearer !== null)
      onKeyRefused(bearer);
    if (error) throw error;
    return response;
  }

  return {
    async request<Answer>(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
      const limitMs = options.query?.wait === untilApplied.wait ? appliedTimeoutMs : timeoutMs;
      const response = await ask(method, path, options, AbortSignal.timeout(limitMs));
      if (response.status === 204) return undefined as Answer;
      return (await readBody(apiOptions, response, options.signal)) as Answer;
    },
    async open(path, options) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), timeoutMs);
      try {
        return await ask('GET', path, options, limit.signal);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

interface Envelope {
  method: string;
  path: string;
  bearer: string | null;
  timeout: AbortSignal;
}

async function send(
  { fetch, onContact }: ApiOptions,
  { method, path, bearer, timeout }: Envelope,
  { query = {}, body, signal, isNewOnly = false, isMinimal = false }: RequestOptions,
): Promise<Response> {
  // Outside of the try block: an invalid header value is an error of this page, not a lost server.
  const headers = new Headers({
    accept: 'application/json',
    ...ofDashboard,
    ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    ...(isNewOnly ? { 'if-none-match': '*' } : {}),
    ...(isMinimal ? { prefer: 'return=minimal' } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  });
  try {
    return await fetch(`${path}${toQuery(query)}`, {
      method,
      cache: 'no-store',
      headers,
      signal: AbortSignal.any([timeout, ...(signal ? [signal] : [])]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    // The caller has cancelled: this says nothing about the server.
    if (signal?.aborted) throw cause;
    onContact(false);
    throw new UnreachableError(cause);
  }
}

async function readBody(
  { onContact }: ApiOptions,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    onContact(false);
    throw new UnreachableError(cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableError(cause);
  }
}

/** With its question mark; empty for an empty query. */
export function toQuery(query: Record<string, string | number | undefined>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([name, value]) => [name, `${value}`]))}`;
}
