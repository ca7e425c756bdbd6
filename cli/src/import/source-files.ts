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

/** The files of a presentation, on disk or at a URL. */
export type SourceFiles = ReturnType<typeof openSourceFiles>;

/** The bytes themselves, in the playlist. */
export const isDataUrl = (location: string) => /^data:/i.test(location);

/** @param sourceRoot nothing outside of it is read, of a presentation on disk */
export function openSourceFiles(sourceRoot: string, access: SourceAccess) {
  const request = createSourceRequests(access);

  async function fetchFile(url: string, options: ReadOptions) {
    try {
      const { bytes = Buffer.alloc(0), url: location } = await request(url, options);
      return { bytes, location };
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      throw refusal(`${error.message}${adviseOrigin(error, url, access)}`, error);
    }
  }

  return {
    /** The absolute path or URL of a reference in a playlist. @throws AppError `VALIDATION_FAILED` */
    async resolve(uri: string, playlist: string, place: Place): Promise<string> {
      if (isDataUrl(uri)) return uri;
      if (isUrl(uri)) {
        if (URL.canParse(uri)) return uri;
        throw playlistError(
          place,
          `"${showUrl(uri)}" is malformed; accepted: a path, or an http or https URL`,
        );
      }
      const url = isUrl(playlist) ? URL.parse(uri, playlist)?.href : undefined;
      if (url !== undefined && isUrl(url)) return url;
      return resolveReference(uri, playlist, sourceRoot, place);
    },
    /**
     * @returns the bytes, and where they were found: the URL after redirects, to which relative URIs in them belong
     * @throws AppError `VALIDATION_FAILED` if it cannot be read
     */
    async read(location: string, options: ReadOptions) {
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
