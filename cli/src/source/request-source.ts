import { decodePercent } from '../hls/resolve-reference.ts';
import type { ByteRange } from '../read-range.ts';
import { hideUrls, showUrl } from '../show-url.ts';
import { type Cookies, createCookies } from './cookies.ts';
import { leadsInside } from './locate-remote.ts';

/** The source has not written it yet, has removed it, refuses it, or cannot be reached: a later attempt may succeed. */
export class SourceUnavailable extends Error {
  /** Of the answer over HTTP, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

/** A playlist of a day's segments has some 5 MB. */
export const playlistMostBytes = 16 * 1024 * 1024;
/** For segments that are held in memory: one of 10 s at 100 Mbit/s has half of this. */
export const segmentMostBytes = 256 * 1024 * 1024;

export interface SourceRequest {
  /** A larger file is refused. */
  readonly mostBytes: number;
  readonly range?: ByteRange | undefined;
  /** The version that is known already. */
  readonly etag?: string | undefined;
  /** Takes the body piece by piece, for a file that does not fit into memory. `bytes` of the answer are empty then. */
  readonly write?: (chunk: Uint8Array) => Promise<void>;
}

export interface SourceAccess {
  /** The URL that an operator gave. Its user and password are sent to its origin as `Authorization: Basic`. */
  readonly address: string | undefined;
  /** For the origin of `address` and for `headerOrigins`. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly headerOrigins?: readonly string[];
  /** For one file, with its redirects. */
  readonly timeoutMs: number;
  /** Ends running requests, which then throw its reason. */
  readonly signal: AbortSignal;
}

export type RequestSource = ReturnType<typeof createSourceRequests>;

export const isUrl = (location: string) => /^https?:\/\//i.test(location);

/** The Fetch Standard has 20. A source needs one or two, and each of them is asked again and again. */
const mostRedirects = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * An operator gives the address and the headers. Playlists and redirects come from a stranger, so headers never follow them to another
 * origin.
 */
export function createSourceRequests(access: SourceAccess) {
  const given = access.address === undefined ? undefined : splitUser(access.address);
  const ownHeaders = {
    ...(given?.authorization && { authorization: given.authorization }),
    ...access.headers,
  };
  const known = new Set([...(given ? [new URL(given.url).origin] : []), ...(access.headerOrigins ?? [])]);
  const cookies = createCookies();

  async function headersFor(url: string): Promise<Record<string, string>> {
    const headers: Record<string, string> = known.has(new URL(url).origin) ? { ...ownHeaders } : {};
    const cookie = [headers.cookie, await cookies.of(url)].filter(Boolean).join('; ');
    return cookie ? { ...headers, cookie } : headers;
  }

  /**
   * Reads a file with GET. It follows redirects and keeps cookies.
   *
   * @returns `url` is the URL that answered, after redirects: the URIs of a playlist are relative to it (RFC 3986 section 5.1.3). `bytes` is
   *   undefined if the file still is the version of `etag`
   * @throws SourceUnavailable with the status of an answer that is not a success
   */
  return async (start: string, { mostBytes, range, etag, write }: SourceRequest) => {
    const signal = AbortSignal.any([access.signal, AbortSignal.timeout(access.timeoutMs)]);
    const asked = {
      ...(range && { range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
      ...(etag !== undefined && { 'if-none-match': etag }),
    };
    try {
      let at = start;
      for (let count = 0; ; count++) {
        const { url, authorization } = splitUser(at);
        const headers = { ...(authorization && { authorization }), ...(await headersFor(url)), ...asked };
        const answer = await send(url, { headers, redirect: 'manual', signal }, cookies);
        const target = redirects.has(answer.status) ? answer.headers.get('location') : null;
        if (target !== null) {
          await answer.body?.cancel().catch(() => {});
          if (count === mostRedirects)
            throw new SourceUnavailable(`${showUrl(start)} has more than ${mostRedirects} redirects`);
          at = await followRedirect(target, url);
          continue;
        }
        const tag = answer.headers.get('etag') ?? undefined;
        if (answer.status === 304 && etag !== undefined) return { url, bytes: undefined, etag };
        if (!answer.ok) {
          await answer.body?.cancel().catch(() => {});
          const hasAll = known.has(new URL(url).origin) || Object.keys(ownHeaders).length === 0;
          throw refused(answer.status, { start, url, hasAll });
        }
        const kept: Uint8Array[] = [];
        for await (const chunk of readChunks(answer, url, mostBytes)) {
          if (write) await write(chunk);
          else kept.push(chunk);
        }
        const whole = Buffer.concat(kept);
        // A server without ranges answers 200 with the whole file.
        const bytes =
          range && answer.status === 200 ? whole.subarray(range.offset, range.offset + range.length) : whole;
        if (range && bytes.length !== range.length)
          throw new SourceUnavailable(`${showUrl(url)} is too short`);
        return { url, bytes, etag: tag };
      }
    } catch (error) {
      access.signal.throwIfAborted();
      throw error;
    }
  };
}

/** fetch refuses a URL with a user. */
function splitUser(text: string): { url: string; authorization: string | undefined } {
  const url = new URL(text);
  if (!url.username && !url.password) return { url: url.href, authorization: undefined };
  const user = [url.username, url.password].map(decodePercent).join(':');
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${Buffer.from(user).toString('base64')}` };
}

async function send(url: string, init: RequestInit, cookies: Cookies): Promise<Response> {
  try {
    const answer = await fetch(url, init);
    await cookies.keep(answer, url);
    return answer;
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException;
    const reason = code ?? hideUrls((cause as Error).message);
    throw new SourceUnavailable(`${showUrl(url)} cannot be reached (${reason})`, { cause });
  }
}

/** @returns the URL that a redirect leads to */
async function followRedirect(target: string, from: string): Promise<string> {
  const shown = `${showUrl(from)} is a redirect to ${showUrl(target)}`;
  const url = URL.parse(target, from);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new SourceUnavailable(`${shown}; accepted: an http or https URL`);
  const old = new URL(from);
  if (url.origin === old.origin) return url.href;
  const isInside = await leadsInside(old, url).catch((cause: unknown) => {
    throw new SourceUnavailable(`${shown}, whose address is not known`, { cause });
  });
  if (isInside) throw new SourceUnavailable(`${shown} in a private network; give that address instead`);
  return url.href;
}

function refused(
  status: number,
  { start, url, hasAll }: { start: string; url: string; hasAll: boolean },
): SourceUnavailable {
  const way = splitUser(start).url === url ? '' : `, to which ${showUrl(start)} leads,`;
  const advice =
    (status === 401 || status === 403) && !hasAll
      ? `. No header was sent there, because ${new URL(url).origin} is another server than the one that was given`
      : '';
  return new SourceUnavailable(`${showUrl(url)}${way} answers ${status}${advice}`, { status });
}

async function* readChunks(answer: Response, url: string, mostBytes: number): AsyncIterable<Uint8Array> {
  let length = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      length += chunk.length;
      if (length > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
      yield chunk;
    }
  } catch (cause) {
    throw new SourceUnavailable(`${showUrl(url)} cannot be read (${hideUrls((cause as Error).message)})`, {
      cause,
    });
  }
}
