import { ApiError, readError, UnreachableError, UnreadableError } from './api-error.ts';
import type { RateLimit } from './rate-limit.ts';

interface RequestOptions {
  /** Members that are undefined or empty are left out. */
  query?: Record<string, string | number | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** For `Authorization: Bearer` instead of the session's; null sends none. */
  credential?: string | null;
}

/** The server, as the session's key may use it. */
export interface Api {
  /**
   * @param path with a leading slash
   * @returns the parsed body; undefined for 204
   * @throws ApiError for any answer but 2xx, and for a read before the time that a 429 has named; UnreachableError where there
   *   was none, or it broke off; UnreadableError for a 2xx that is no JSON
   */
  request<Answer>(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /**
   * For what is too long to be had at once. Only its beginning has a time limit: who reads the rest can abort it.
   *
   * @returns the answer to a GET, with its body unread
   * @throws as `request` does; a body that breaks off rejects its reader
   */
  open(path: string, options: RequestOptions): Promise<Response>;
}

export interface ApiOptions {
  fetch: typeof globalThis.fetch;
  credential: () => string | null;
  /** Hears of every attempt whether the server was there. */
  onContact: (reached: boolean) => void;
  rateLimit: RateLimit;
  /** Hears the `Date` header of every answer, and when it was asked for: milliseconds since 1970. */
  onDate?: (date: string | null, sentAtMs: number) => void;
  /** The session's own key was refused with INVALID_API_KEY. */
  onKeyRefused: (credential: string) => void;
}

/** Longer than the gateway waits for a service (7 s), so that its answer arrives. */
const timeoutMs = 15_000;

export function createApi({
  fetch,
  credential,
  onContact,
  onKeyRefused,
  rateLimit,
  onDate,
}: ApiOptions): Api {
  async function send(
    method: string,
    path: string,
    { query = {}, body, signal }: RequestOptions,
    bearer: string | null,
    timeout: AbortSignal,
  ) {
    // What no header can carry is a fault of this page, not a server that is gone.
    const headers = new Headers({
      accept: 'application/json',
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
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
      // Whoever asked has gone elsewhere: that says nothing of the server.
      if (signal?.aborted) throw cause;
      onContact(false);
      throw new UnreachableError(cause);
    }
  }

  /** @param timeout ends also the reading of the body */
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
    const response = await send(method, path, options, bearer, timeout);
    onDate?.(response.headers.get('date'), sentAtMs);
    rateLimit.hear(response.headers);
    const error = response.ok ? null : await readError(response);
    if (isRead && error instanceof ApiError && error.status === 429) rateLimit.pause(error.retryAfterSeconds);
    onContact(!(error instanceof UnreachableError));
    if (error instanceof ApiError && error.code === 'INVALID_API_KEY' && own && bearer !== null)
      onKeyRefused(bearer);
    if (error) throw error;
    return response;
  }

  async function readBody(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
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

  return {
    async request<Answer>(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
      const response = await ask(method, path, options, AbortSignal.timeout(timeoutMs));
      return (response.status === 204 ? undefined : await readBody(response, options.signal)) as Answer;
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

/** With its question mark; empty where nothing is asked. */
export function toQuery(query: Record<string, string | number | undefined>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([name, value]) => [name, `${value}`]))}`;
}
