import { type Dispatcher, request } from 'undici';
import { PlaylistFault } from '../rewrite/playlist-fault.ts';
import { amountOfCopy, type WorkPortions } from '../work-portions.ts';
import type { FetchLimiter } from './fetch-limiter.ts';
import { SourceRefusal } from './source-refusal.ts';

/** A playlist as its source served it. */
export interface FetchedText {
  readonly text: string;
  /** After redirects. */
  readonly url: URL;
  /** What `Cache-Control` allows; null where it says nothing. */
  readonly maxAgeSeconds: number | null;
}

export interface SourceOptions {
  /** Whether a playlist may be fetched from this URL. Asked for each redirect, too. */
  readonly mayFetch: (url: URL) => boolean;
  readonly dispatcher: Dispatcher;
  readonly turns: FetchLimiter;
  /** To decode the text: many may arrive in the same turn of the event loop. */
  readonly workTurns: Pick<WorkPortions, 'take'>;
}

/** For a whole playlist, redirects and the wait for a turn included: the contract's 5 s. A source that sends a byte each second gets no more. */
const limitMs = 5_000;
/** The contract's 2 MiB, after decompression. */
const sizeLimitBytes = 2 * 1024 * 1024;
/** Most live playlists are smaller. */
const firstBytes = 16 * 1024;
/** A CDN needs one, or two where it also moves http to https. */
const redirectsAtMost = 3;
const redirects = [301, 302, 303, 307, 308];

/**
 * Fetches the text of a playlist from a listed origin.
 *
 * No cookie, credential or header of a client is sent. The answer is asked for without compression, so its size is what is read.
 *
 * @throws PlaylistFault if the source refuses, redirects to an origin that is not listed, or sends too much. Errors of the network as they
 * come, and a TimeoutError at the limit
 */
export async function fetchSource(
  start: URL,
  { mayFetch, dispatcher, turns, workTurns }: SourceOptions,
): Promise<FetchedText> {
  const signal = AbortSignal.timeout(limitMs);
  const end = await turns.take(start.origin, signal);
  try {
    return await follow(start, { mayFetch, dispatcher, workTurns, signal });
  } finally {
    end();
  }
}

async function follow(
  start: URL,
  {
    mayFetch,
    dispatcher,
    workTurns,
    signal,
  }: Pick<SourceOptions, 'mayFetch' | 'dispatcher' | 'workTurns'> & { signal: AbortSignal },
): Promise<FetchedText> {
  let url = start;
  for (let redirected = 0; redirected <= redirectsAtMost; redirected++) {
    if (!mayFetch(url)) throw new PlaylistFault(`${url.origin} is not one of PLAYLIST_ORIGINS`);
    const { statusCode, headers, body } = await request(url, { dispatcher, signal, headers: requestHeaders });
    if (statusCode === 200) {
      if (headers['content-encoding'] !== undefined) {
        // Errors of a body that is not read must not end the process.
        body.on('error', () => {}).destroy();
        throw new PlaylistFault('the source compresses the playlist although it was asked not to');
      }
      return { text: await readText(body, workTurns), url, maxAgeSeconds: readLife(headers) };
    }
    body.on('error', () => {}).destroy();
    const target = redirects.includes(statusCode) ? headers.location : undefined;
    if (typeof target !== 'string') throw new SourceRefusal(statusCode);
    const next = URL.parse(target, url.href);
    if (!next) throw new PlaylistFault('the source redirects to a malformed URL');
    url = next;
  }
  throw new PlaylistFault(`the source redirects more than ${redirectsAtMost} times`);
}

const requestHeaders = {
  accept: 'application/vnd.apple.mpegurl, application/x-mpegurl, */*;q=0.1',
  'accept-encoding': 'identity',
  'user-agent': 'latchkey-playback',
};

async function readText(body: AsyncIterable<Buffer>, workTurns: Pick<WorkPortions, 'take'>): Promise<string> {
  // Copied, because a list of a million chunks of a byte each would take a hundred times their size.
  let bytes = Buffer.allocUnsafe(firstBytes);
  let length = 0;
  // Leaving the loop by an error destroys the body, and with it the connection.
  for await (const chunk of body) {
    const end = length + chunk.length;
    if (end > sizeLimitBytes) throw new PlaylistFault('the playlist is larger than 2 MiB');
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * bytes.length));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    chunk.copy(bytes, length);
    length = end;
  }
  await workTurns.take(amountOfCopy(length));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
  } catch {
    throw new PlaylistFault('it is not UTF-8 text, so it is not a playlist');
  }
}

/** How long the text may be kept from now on: a cache before the source has used up a part of it (RFC 9111 section 4.2.3). */
function readLife({ 'cache-control': cacheControl, age }: Dispatcher.ResponseData['headers']): number | null {
  const maxAge = readMaxAge(cacheControl);
  const passed = typeof age === 'string' && /^\d+$/.test(age) ? Number(age) : 0;
  return maxAge === null ? null : Math.max(0, maxAge - passed);
}

/** For a shared cache (RFC 9111 section 5.2.2): `s-maxage` wins, and `no-cache`, `no-store` and `private` allow nothing. */
export function readMaxAge(header: string | string[] | undefined): number | null {
  const text = [header ?? []].flat().join(',').toLowerCase();
  if (/(^|[\s,])(no-cache|no-store|private)\b/.test(text)) return 0;
  const seconds =
    /(?:^|[\s,])s-maxage="?(\d+)/.exec(text)?.[1] ?? /(?:^|[\s,])max-age="?(\d+)/.exec(text)?.[1];
  return seconds === undefined ? null : Number(seconds);
}
