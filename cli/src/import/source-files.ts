import { open } from 'node:fs/promises';
import { type Place, playlistError } from '../hls/playlist-error.ts';
import { resolveReference } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { hideUrls, showUrl } from '../show-url.ts';

/** For a whole file from a server or a store. It is not asked again: the command can be repeated. */
const timeoutMs = 30_000;

interface ReadOptions {
  /** A larger file is refused. */
  mostBytes: number;
  range?: { readonly offset: number; readonly length: number } | undefined;
}

/** The files of a presentation, on disk or at a URL. */
export interface SourceFiles {
  /** The absolute path or URL of what a playlist names. @throws AppError `VALIDATION_FAILED` */
  resolve(uri: string, playlist: string, place: Place): Promise<string>;
  /** @throws AppError `VALIDATION_FAILED` if it cannot be read */
  read(location: string, options: ReadOptions): Promise<Buffer>;
}

export interface SourceAccess {
  /** Nothing outside of it is read, of a presentation on disk. */
  sourceRoot: string;
  /** To read with. They are sent to these origins alone. */
  headers: Readonly<Record<string, string>>;
  headerOrigins: readonly string[];
  signal: AbortSignal;
}

export const isUrl = (location: string) => /^https?:\/\//i.test(location);

export function openSourceFiles({ sourceRoot, headers, headerOrigins, signal }: SourceAccess): SourceFiles {
  async function fetchFile(url: string, { mostBytes, range }: ReadOptions): Promise<Buffer> {
    const isKnown = headerOrigins.includes(new URL(url).origin);
    const answer = await fetch(url, {
      headers: {
        ...(isKnown ? headers : {}),
        ...(range && { range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
      },
      // A redirect could take the headers elsewhere.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch((cause: Error) => {
      signal.throwIfAborted();
      const { code } = (cause.cause ?? {}) as NodeJS.ErrnoException;
      throw refusal(`${showUrl(url)} cannot be reached (${code ?? hideUrls(cause.message)})`, cause);
    });
    if (!answer.ok) throw refused(url, answer, isKnown || Object.keys(headers).length === 0);
    const whole = await readBody(url, answer, mostBytes);
    // A server without ranges answers 200 with the whole file.
    return range && answer.status === 200 ? whole.subarray(range.offset, range.offset + range.length) : whole;
  }

  return {
    async resolve(uri, playlist, place) {
      if (isUrl(uri)) {
        if (URL.canParse(uri)) return uri;
        throw playlistError(
          place,
          `"${showUrl(uri)}" is malformed; accepted: a path, or an http or https URL`,
        );
      }
      if (isUrl(playlist) && URL.canParse(uri, playlist)) {
        const url = new URL(uri, playlist).href;
        if (isUrl(url)) return url;
      }
      return resolveReference(uri, playlist, sourceRoot, place);
    },
    read: (location, options) =>
      isUrl(location) ? fetchFile(location, options) : readFromDisk(location, options),
  };
}

async function readFromDisk(path: string, { mostBytes, range }: ReadOptions): Promise<Buffer> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw refusal(`${showUrl(path)} cannot be read (${cause.code ?? 'unreadable'})`, cause);
  });
  try {
    const { size } = await file.stat();
    const { offset, length } = range ?? { offset: 0, length: size };
    if (length > mostBytes)
      throw refusal(`${showUrl(path)} has ${length} bytes; at most ${mostBytes} are read`);
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, offset);
    if (bytesRead < length) throw refusal(`${showUrl(path)} is shorter than the playlist says`);
    return bytes;
  } finally {
    await file.close();
  }
}

async function readBody(url: string, answer: Response, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > mostBytes) throw refusal(`${showUrl(url)} has more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function refused(url: string, answer: Response, hasHeaders: boolean): Error {
  void answer.body?.cancel().catch(() => {});
  const target = answer.headers.get('location');
  const advice = target
    ? `, a redirect to ${showUrl(target)}; give that address`
    : (answer.status === 401 || answer.status === 403) && !hasHeaders
      ? `. No --header was sent there: allow it with --header-origin ${new URL(url).origin}`
      : '';
  return refusal(`${showUrl(url)} answers ${answer.status}${advice}`);
}
