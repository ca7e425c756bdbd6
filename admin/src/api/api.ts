import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { ApiError, readError, UnreachableError, UnreadableError } from './api-error.ts';
import { ofDashboard, type RateLimit } from './rate-limit.ts';
import type { paths } from './schema.ts';

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never;
}[keyof paths];

type Operation<M extends Method, Path extends PathOf<M>> =
  paths[Path] extends Record<M, infer Found extends object> ? Found : never;

/** Optional members may also be undefined or null. They are not sent then. */
type Loose<T> = T extends object
  ? { [Name in keyof T]: Record<never, never> extends Pick<T, Name> ? T[Name] | undefined | null : T[Name] }
  : T;

/** The parameters of a call: `query`, `path` and `header`. */
type Params<Called> = Called extends { parameters: infer Found }
  ? { [Part in keyof Found]: Loose<Found[Part]> }
  : never;

type Json<Body> = { content: { 'application/json': Body } };

/** `params` is required if one of the parameters is, and `body` if the operation needs one. */
type Input<Called> = (Record<never, never> extends Params<Called>
  ? { params?: Params<Called> | undefined }
  : { params: Params<Called> }) &
  (Called extends { requestBody: Json<infer Body> }
    ? { body: Body }
    : Called extends { requestBody?: Json<infer Body> }
      ? { body?: Body }
      : { body?: never });

interface Options {
  signal?: AbortSignal;
  /** Replaces the session's key in `Authorization: Bearer`; null sends no header. */
  credential?: string | null;
}

type CallOptions<M extends Method, Path extends PathOf<M>> = Input<Operation<M, Path>> & Options;

export type ParamsOf<Path extends PathOf<'get'>> = Params<Operation<'get', Path>>;

/** The JSON of an answer that is not a refusal; undefined for 204. */
export type Answer<M extends Method, Path extends PathOf<M>> =
  Operation<M, Path> extends { responses: infer Responses }
    ? {
        [Status in keyof Responses]: Responses[Status] extends Json<infer Body> ? Body : undefined;
      }[keyof Responses]
    : never;

/** The JSON that a call sends. */
export type BodyOf<M extends Method, Path extends PathOf<M>> =
  Operation<M, Path> extends { requestBody?: Json<infer Body> } ? Body : never;

export type QueryOf<Path extends PathOf<'get'>> = NonNullable<
  ParamsOf<Path> extends { query?: infer Query } ? Query : never
>;

/** A read for the query cache. An action invalidates all reads of a resource by `keyOf`. */
export function reading<Path extends PathOf<'get'>>(api: Api, path: Path, params: ParamsOf<Path>) {
  const queryKey: QueryKey = [...keyOf(path), path, params];
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => api.call('get', path, { params, signal } as unknown as CallOptions<'get', Path>),
  });
}

/** The keys of the query cache of all reads of a resource begin so: `/api/v1/api-keys/{id}` is one of `api-keys`. */
export const keyOf = (path: string): QueryKey => path.split('/').slice(3, 4);

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

/** The options of any call, without the types of its path. */
interface AnyOptions extends Options {
  params?: Partial<Record<'query' | 'path' | 'header', Record<string, unknown>>>;
  body?: unknown;
}

export type Api = ReturnType<typeof createApi>;

/** The HTTP API of the server, called with the session's key. Paths, parameters and answers have the types of its own `/openapi.json`. */
export function createApi(apiOptions: ApiOptions) {
  const { fetch, credential, onContact, onKeyRefused, rateLimit, onDate } = apiOptions;

  /** The answer, or its body, did not arrive in full. */
  function giveUp(signal: AbortSignal | undefined, cause: unknown): never {
    // The caller has cancelled: this says nothing about the server.
    if (signal?.aborted) throw cause;
    onContact(false);
    throw new UnreachableError(cause);
  }

  /** @param timeout also ends the reading of the body */
  async function ask(method: Method, path: string, options: AnyOptions, timeout: AbortSignal) {
    const { params = {}, signal, credential: given } = options;
    const own = given === undefined;
    const isRead = method === 'get';
    if (own && isRead && rateLimit.secondsLeft() > 0)
      throw new ApiError(429, { code: 'RATE_LIMITED' }, rateLimit.secondsLeft());
    const bearer = own ? credential() : given;
    const sentAtMs = Date.now();
    const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(`${params.path?.[name]}`));
    const request = requestOf(method, options, bearer, timeout);
    const response = await fetch(url + toQuery(params.query ?? {}), request).catch((cause) =>
      giveUp(signal, cause),
    );
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
    /**
     * @throws ApiError for any answer but 2xx, and for a read before the time that a 429 has named; UnreachableError if no
     *   complete answer arrived; UnreadableError for a 2xx that is not JSON
     */
    async call<M extends Method, Path extends PathOf<M>>(
      method: M,
      path: Path,
      options: CallOptions<M, Path>,
    ): Promise<Answer<M, Path>> {
      const { params, signal } = options as AnyOptions;
      const limitMs = params?.query?.wait === 'applied' ? appliedTimeoutMs : timeoutMs;
      const response = await ask(method, path, options as AnyOptions, AbortSignal.timeout(limitMs));
      if (response.status === 204) return undefined as never;
      const text = await response.text().catch((cause) => giveUp(signal, cause));
      try {
        return JSON.parse(text);
      } catch (cause) {
        throw new UnreadableError(cause);
      }
    },
    /**
     * For long answers. Only the head has a time limit. The caller can abort the body.
     *
     * @returns the answer to a GET, with its body unread
     * @throws like `call`. A body that breaks off rejects its reader
     */
    async open<Path extends PathOf<'get'>>(path: Path, options: CallOptions<'get', Path>): Promise<Response> {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), timeoutMs);
      try {
        return await ask('get', path, options as AnyOptions, limit.signal);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function requestOf(
  method: Method,
  { params, body, signal }: AnyOptions,
  bearer: string | null,
  timeout: AbortSignal,
): RequestInit {
  return {
    method: method.toUpperCase(),
    cache: 'no-store',
    // Before the request: an invalid header value is an error of this page, not a lost server.
    headers: new Headers({
      accept: 'application/json',
      ...ofDashboard,
      ...params?.header,
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }),
    signal: AbortSignal.any([timeout, ...(signal ? [signal] : [])]),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** With its question mark, and without undefined, null and empty members; empty for an empty query. */
export function toQuery(query: Record<string, unknown>): string {
  const entries = Object.entries(query).filter(([, value]) => value != null && value !== '');
  const written = new URLSearchParams(entries.map(([name, value]) => [name, `${value}`]));
  return written.size === 0 ? '' : `?${written}`;
}
