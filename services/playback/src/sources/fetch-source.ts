import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
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
  /** The age that `Cache-Control` allows; null if it names none. */
  readonly maxAgeSeconds: number | null;
  /** To be called once the text has been worked on: a long one takes a place. */
  readonly end: () => void;
}

export interface SourceOptions {
  /** Whether a playlist may be fetched from this URL. Asked for each redirect, too. */
  readonly mayFetch: (url: URL) => boolean;
  readonly dispatcher: Dispatcher;
  readonly turns: FetchLimiter;
  /** For a text over 2 MiB, until it has been worked on. */
  readonly longTurns: FetchLimiter;
  /** To decode the text: many may arrive in the same turn of the event loop. */
  readonly workTurns: Pick<WorkPortions, 'take'>;
}

/** For a whole playlist, redirects and the wait for a turn included: the contract's 5 s. A source that sends a byte each second gets no more. */
const limitMs = 5_000;
/** After decompression. A live playlist of a day, with segments of two seconds and a key tag for each, has 6 MB. */
const sizeLimitBytes = 8 * 1024 * 1024;
/** A film of some hours has a tenth. */
const usualBytes = 2 * 1024 * 1024;
/** Most live playlists are smaller. */
const firstBytes = 16 * 1024;
/** A CDN needs one, or two if it also moves http to https. */
const redirectsAtMost = 3;
const redirects = [301, 302, 303, 307, 308];

/**
 * Fetches the text of a playlist from a listed origin.
 *
 * No cookie, credential or header of a client is sent. An answer may be compressed, in other ways too than it is asked for: a bucket sends an
 * object as it was stored. It is read in pieces, so that few bytes cannot become a large text.
 *
 * @throws PlaylistFault if the source refuses, redirects to an origin that is not listed, or sends too much. Errors of the network as they
 * come, and a TimeoutError at the limit
 */
export async function fetchSource(start: URL, { turns, ...options }: SourceOptions): Promise<FetchedText> {
  const signal = AbortSignal.timeout(limitMs);
  const end = await turns.take(start.origin, signal);
  try {
    return await follow(start, { ...options, signal });
  } finally {
    end();
  }
}

async function follow(
  start: URL,
  options: Omit<SourceOptions, 'turns'> & { readonly signal: AbortSignal },
): Promise<FetchedText> {
  const { mayFetch, dispatcher, signal } = options;
  let url = start;
  for (let redirected = 0; redirected <= redirectsAtMost; redirected++) {
    if (!mayFetch(url)) throw new PlaylistFault(`${url.origin} is not one of PLAYLIST_ORIGINS`);
    const { statusCode, headers, body } = await request(url, { dispatcher, signal, headers: requestHeaders });
    if (statusCode === 200) {
      const plain = decompress(body, headers['content-encoding']);
      return { ...(await readText(plain, url, options)), url, maxAgeSeconds: readLife(headers) };
    }
    discard(body);
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
  'accept-encoding': 'gzip',
  'user-agent': 'latchkey-playback',
};

/** Errors of a body that is not read must not end the process. */
function discard(body: Readable): void {
  body.on('error', () => {}).destroy();
}

/** Each piece is made on another thread. */
const pieceBytes = 65_536;
const decompressors = new Map<string, () => Transform>([
  ['gzip', () => createGunzip({ chunkSize: pieceBytes })],
  ['x-gzip', () => createGunzip({ chunkSize: pieceBytes })],
  ['deflate', () => createInflate({ chunkSize: pieceBytes })],
  ['br', () => createBrotliDecompress({ chunkSize: pieceBytes })],
]);

/** @param coding `Content-Encoding` (RFC 9110 section 8.4.1) @throws PlaylistFault if it is another one, or several */
function decompress(body: Readable, coding: string | string[] | undefined): Readable {
  if (coding === undefined || coding === 'identity') return body;
  const create = decompressors.get(`${coding}`.trim().toLowerCase());
  if (!create) {
    discard(body);
    throw new PlaylistFault(
      `the source compresses the playlist in an unknown way: Content-Encoding ${coding}`.slice(0, 120),
    );
  }
  // An error of one ends both, and is thrown to the reader.
  return pipeline(body, create(), () => {});
}

async function readText(
  body: AsyncIterable<Buffer>,
  { origin }: URL,
  { longTurns, workTurns, signal }: Pick<SourceOptions, 'longTurns' | 'workTurns'> & { signal: AbortSignal },
): Promise<{ text: string; end: () => void }> {
  let end = () => {};
  try {
    const bytes = await readBytes(body, async () => {
      end = await longTurns.take(origin, signal);
    });
    await workTurns.take(amountOfCopy(bytes.length));
    return { text: decode(bytes), end };
  } catch (fault) {
    end();
    throw fault;
  }
}

/** @param becomesLong called once more than `usualBytes` have come; no more is read before its promise */
async function readBytes(body: AsyncIterable<Buffer>, becomesLong: () => Promise<void>): Promise<Buffer> {
  // Copied, because a list of a million chunks of a byte each would take a hundred times their size.
  let bytes = Buffer.allocUnsafe(firstBytes);
  let length = 0;
  // Leaving the loop by an error destroys the body, and with it the connection.
  for await (const chunk of body) {
    const end = length + chunk.length;
    if (end > sizeLimitBytes) throw new PlaylistFault('the playlist is larger than 8 MiB');
    if (length <= usualBytes && end > usualBytes) await becomesLong();
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * bytes.length));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    chunk.copy(bytes, length);
    length = end;
  }
  return bytes.subarray(0, length);
}

/** Some milliseconds for 8 MiB. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
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
