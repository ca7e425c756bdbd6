import { ApiError, readError, UnreachableError } from './api-error.ts';

export interface RequestOptions {
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
   * @throws ApiError for any answer but 2xx; UnreachableError where there was none
   */
  request<Answer>(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

export interface ApiOptions {
  fetch: typeof globalThis.fetch;
  credential: () => string | null;
  /** Hears of every attempt whether the server was there. */
  onContact: (reached: boolean) => void;
  /** The session's own key was refused with INVALID_API_KEY. */
  onKeyRefused: (credential: string) => void;
}

/** Longer than the gateway waits for a service (7 s), so that its answer arrives. */
const timeoutMs = 15_000;

export function createApi({ fetch, credential, onContact, onKeyRefused }: ApiOptions): Api {
  async function send(method: string, path: string, options: RequestOptions, bearer: string | null) {
    const { query = {}, body, signal } = options;
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    try {
      return await fetch(`${path}${toQuery(query)}`, {
        method,
        cache: 'no-store',
        headers: {
          accept: 'application/json',
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal: AbortSignal.any(limits),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      // Whoever asked has gone elsewhere: that says nothing of the server.
      if (signal?.aborted) throw cause;
      onContact(false);
      throw new UnreachableError(cause);
    }
  }

  return {
    async request<Answer>(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
      const own = options.credential === undefined;
      const bearer = own ? credential() : (options.credential ?? null);
      const response = await send(method, path, options, bearer);
      const error = response.ok ? null : await readError(response);
      onContact(!(error instanceof UnreachableError));
      if (error instanceof ApiError && error.code === 'INVALID_API_KEY' && own && bearer !== null)
        onKeyRefused(bearer);
      if (error) throw error;
      return (response.status === 204 ? undefined : await response.json()) as Answer;
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
