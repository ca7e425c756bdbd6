import { stat } from 'node:fs/promises';
import { type Place, playlistError } from '../hls/playlist-lines.ts';
import { resolveReference } from '../hls/resolve-reference.ts';
import { readRange } from '../read-range.ts';
import { refusal, refuseUnreadable } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import {
  createSourceRequests,
  isUrl,
  type SourceAccess,
  type SourceRequest,
  SourceUnavailable,
} from '../source/request-source.ts';

type ReadOptions = Pick<SourceRequest, 'mostBytes' | 'range'>;

/** A file that was read. */
interface SourceFile {
  readonly bytes: Buffer;
  /** Where it was found: the URL after redirects, to which relative URIs in it belong. */
  readonly location: string;
}

/** The files of a presentation, on disk or at a URL. */
export interface SourceFiles {
  /** The absolute path or URL of a reference in a playlist. @throws AppError `VALIDATION_FAILED` */
  resolve(uri: string, playlist: string, place: Place): Promise<string>;
  /** @throws AppError `VALIDATION_FAILED` if it cannot be read */
  read(location: string, options: ReadOptions): Promise<SourceFile>;
}

/** The bytes themselves, in the playlist. */
export const isDataUrl = (location: string) => /^data:/i.test(location);

/** @param sourceRoot nothing outside of it is read, of a presentation on disk */
export function openSourceFiles(sourceRoot: string, access: SourceAccess): SourceFiles {
  const request = createSourceRequests(access);

  async function fetchFile(url: string, options: ReadOptions): Promise<SourceFile> {
    try {
      const { bytes = Buffer.alloc(0), url: location } = await request(url, options);
      return { bytes, location };
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      throw refusal(`${error.message}${adviseOrigin(error, url, access)}`, error);
    }
  }

  return {
    async resolve(uri, playlist, place) {
      if (isDataUrl(uri)) return uri;
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
    async read(location, options) {
      if (isUrl(location)) return fetchFile(location, options);
      const bytes = await (isDataUrl(location) ? readDataUrl(location) : readFromDisk(location, options));
      return { bytes, location };
    },
  };
}

/** A presentation often has its keys at another server than its playlists. */
function adviseOrigin(
  { status }: SourceUnavailable,
  url: string,
  { address, headers, headerOrigins = [] }: SourceAccess,
): string {
  const { origin } = new URL(url);
  const isKnown =
    headerOrigins.includes(origin) || (address !== undefined && new URL(address).origin === origin);
  const lacksHeader = (status === 401 || status === 403) && !isKnown && Object.keys(headers).length > 0;
  return lacksHeader ? `; --source-header-origin ${origin} allows it` : '';
}

/** The bytes in a `data:` URL (RFC 2397). The playlist contains them, so its limit bounds them. */
async function readDataUrl(url: string): Promise<Buffer> {
  const answer = await fetch(url).catch((cause: unknown) => {
    throw refusal(`${showUrl(url)} is malformed; accepted: data:;base64, and the key in base64`, cause);
  });
  return Buffer.from(await answer.arrayBuffer());
}

async function readFromDisk(path: string, { mostBytes, range }: ReadOptions): Promise<Buffer> {
  const { size } = await stat(path).catch(refuseUnreadable(showUrl(path)));
  const { offset, length } = range ?? { offset: 0, length: size };
  if (length > mostBytes)
    throw refusal(`${showUrl(path)} has ${length} bytes; at most ${mostBytes} are read`);
  const bytes = await readRange({ path, offset, length }).catch(refuseUnreadable(showUrl(path)));
  if (bytes.length < length) throw refusal(`${showUrl(path)} is shorter than the playlist says`);
  return bytes;
}
