import { createHash } from 'node:crypto';
import { playlistError } from '../hls/playlist-error.ts';
import { hideUrls, showUrl } from '../show-url.ts';
import { type ByteRange, type LiveSource, SourceUnavailable } from './live-source.ts';

/** 125 ms for segments of two seconds: the delay stays under 200 ms, and most answers are 304. */
const looksInSegment = 16;
const shortestPollSeconds = 0.05;
/** For a long segment the delay matters less than the requests. */
const longestPollSeconds = 0.5;

/** A packager on the same network answers in milliseconds. After this time a new connection is more likely to help. */
const timeoutMs = 10_000;

/** Segments are held in memory. A segment of 10 s at 100 Mbit/s has half of this. */
const largestFileBytes = 256 * 1024 * 1024;

/** A source that is read with GET. @param signal ends running requests */
export function createHttpSource(signal: AbortSignal): LiveSource {
  const request = (location: string, headers: Record<string, string>) =>
    send(location, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
  const read = async (location: string, range: ByteRange | undefined): Promise<Buffer> => {
    const headers = range ? { range: `bytes=${range.offset}-${range.offset + range.length - 1}` } : {};
    const answer = await request(location, headers);
    if (!answer.ok) throw await refused(location, answer);
    const whole = await readBody(location, answer);
    // A server without ranges answers 200 with the whole file.
    const bytes = range && answer.status === 200 ? slice(whole, range) : whole;
    if (range && bytes.length !== range.length)
      throw new SourceUnavailable(`${showUrl(location)} is too short`);
    return bytes;
  };
  return {
    async resolve(uri, playlist, place) {
      const url = URL.canParse(uri, playlist) ? new URL(uri, playlist) : undefined;
      // A stranger's playlist could otherwise publish what only this machine can reach.
      if (url?.origin === new URL(playlist).origin) return url.href;
      throw playlistError(
        place,
        `"${showUrl(uri)}" is on another server; accepted: URLs of ${new URL(playlist).origin}`,
      );
    },
    async readChanged(location, known) {
      const etag = known?.startsWith('etag:') ? known.slice(5) : undefined;
      const answer = await request(location, etag ? { 'if-none-match': etag } : {});
      if (answer.status === 304) return void (await answer.body?.cancel());
      if (!answer.ok) throw await refused(location, answer);
      const bytes = await readBody(location, answer);
      // The text decides if there is no ETag: Last-Modified counts whole seconds, in which a playlist may change twice.
      const tag = answer.headers.get('etag');
      const version = tag ? `etag:${tag}` : createHash('sha256').update(bytes).digest('hex');
      return version === known ? undefined : { bytes, version };
    },
    read,
    pollSeconds: (targetSeconds) =>
      Math.min(Math.max(targetSeconds / looksInSegment, shortestPollSeconds), longestPollSeconds),
  };
}

async function send(location: string, init: RequestInit): Promise<Response> {
  try {
    // A redirect could lead anywhere; the address behind it can be given instead.
    return await fetch(location, { ...init, redirect: 'manual' });
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException;
    throw new SourceUnavailable(
      `${showUrl(location)} cannot be reached (${code ?? hideUrls((cause as Error).message)})`,
      {
        cause,
      },
    );
  }
}

async function refused(location: string, answer: Response): Promise<SourceUnavailable> {
  await answer.body?.cancel();
  const target = answer.headers.get('location');
  const advice = target ? `, a redirect to ${showUrl(target)}; give that address` : '';
  return new SourceUnavailable(`${showUrl(location)} answers ${answer.status}${advice}`);
}

async function readBody(location: string, answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      length += chunk.length;
      if (length > largestFileBytes) throw new Error(`it is larger than ${largestFileBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new SourceUnavailable(
      `${showUrl(location)} cannot be read (${hideUrls((cause as Error).message)})`,
      { cause },
    );
  }
  return Buffer.concat(chunks, length);
}

function slice(whole: Buffer, { offset, length }: ByteRange): Buffer {
  return whole.subarray(offset, offset + length);
}
