import { createHash } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { findAttribute, formatAttributeList, replaceUri } from '@latchkey/shared/hls';
import type { CommandContext } from '../command-context.ts';
import { createRenditionNamer, rootPlaylistName } from '../encrypt/target-names.ts';
import { parseMediaPlaylist } from '../hls/media-playlist.ts';
import { parseMultivariantPlaylist, renderMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import {
  classifyPlaylist,
  type Place,
  type PlaylistText,
  playlistError,
  readAttributes,
  splitPlaylist,
} from '../hls/playlist-lines.ts';
import { inspectTags } from '../hls/refused-tags.ts';
import { withoutQuery } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { workOff } from '../work-off.ts';
import { createLocator, type Locator } from './locate-remote.ts';
import { playlistMostBytes, type RequestSource, SourceUnavailable } from './request-source.ts';

/** A day of 2 s segments in four renditions has 172,800. */
const mostFiles = 200_000;
/** Of media files: no name of a playlist is the same. */
const mediaFolder = 'media';
/** Longer endings are not kept by an encryption either. */
const longestEnding = 9;
/** A CDN answers one connection slowly, and a small server many. */
const filesAtOnce = 4;

/** A playlist, and the URL to which its references are relative. */
interface RemotePlaylist {
  readonly text: PlaylistText;
  readonly base: string;
}

interface MediaFile {
  readonly name: string;
  /** The line that names it first. */
  readonly place: Place;
}

/**
 * Downloads a presentation: its playlists, and each file that they name, once. The playlists name the files by their new names, and are
 * otherwise the same, line by line. No name comes from the source.
 *
 * @param url of a multivariant or media playlist
 * @param folder an empty one
 * @returns the path of the playlist in the folder
 * @throws AppError `VALIDATION_FAILED` if the presentation cannot be read, cannot be encrypted, or is too large
 */
export async function downloadPresentation(
  url: string,
  folder: string,
  tools: DownloadTools,
): Promise<string> {
  const root = await readPlaylist(url, tools);
  const locate = createLocator(root.base);
  const rootName = rootPlaylistName(new URL(url).pathname);
  const media = new Map<string, MediaFile>();
  const write = (name: string, text: string, base: string) =>
    writeFile(join(folder, name), hideSignatures(text, base), { flag: 'wx' });
  const writeMedia = async (name: string, playlist: RemotePlaylist) =>
    write(name, await renameMedia(playlist, locate, media), playlist.base);

  if (classifyPlaylist(root.text) === 'media') await writeMedia(rootName, root);
  else {
    const nameRendition = createRenditionNamer();
    nameRendition(rootName);
    const rootPath = posix.dirname(new URL(root.base).pathname);
    const names = new Map<string, string>();
    const nameOf = async (uri: string, place: Place) => {
      const at = await locate(uri, root.base, place);
      const known = names.get(at);
      if (known !== undefined) return known;
      assertFew(names.size, place);
      const name = `${nameRendition(posix.relative(rootPath, new URL(at).pathname))}.m3u8`;
      names.set(at, name);
      const rendition = await readPlaylist(at, tools, place);
      if (classifyPlaylist(rendition.text) !== 'media')
        throw playlistError(place, `"${showUrl(uri)}" is not a media playlist`);
      await writeMedia(name, rendition);
      return name;
    };
    const multivariant = parseMultivariantPlaylist(root.text);
    const nameOfUri = new Map<string, string>();
    for (const { uri, place } of multivariant.named) nameOfUri.set(uri, await nameOf(uri, place));
    const text = renderMultivariantPlaylist(multivariant, (uri) => nameOfUri.get(uri) ?? '', []);
    await write(rootName, text, root.base);
  }

  await mkdir(join(folder, mediaFolder));
  await tools.showProgress(media.size, (fileDone) =>
    workOff([...media], filesAtOnce, async ([at, { name, place }]) => {
      await downloadFile(at, join(folder, name), tools, place);
      fileDone();
    }),
  );
  return join(folder, rootName);
}

/** @param place of the line that names it; undefined for the first */
async function readPlaylist(url: string, tools: DownloadTools, place?: Place): Promise<RemotePlaylist> {
  const { bytes = Buffer.alloc(0), url: base } = await repeat(tools, place, () =>
    tools.request(url, { mostBytes: playlistMostBytes }),
  );
  tools.count(bytes.length);
  const text = splitPlaylist(showUrl(url), bytes);
  // An encrypted presentation is refused before its media is downloaded.
  inspectTags(text);
  return { text, base };
}

function assertFew(count: number, place: Place): void {
  if (count >= mostFiles) throw playlistError(place, `the presentation has more than ${mostFiles} files`);
}

/** The ending of a name, which an encryption keeps. */
function endingOf(path: string): string {
  return posix
    .extname(path)
    .replace(/[^.A-Za-z0-9]/g, '')
    .slice(0, longestEnding);
}

/**
 * The text of a media playlist with other names of its files.
 *
 * @param media gets the files, by their URLs
 */
async function renameMedia(
  { text, base }: RemotePlaylist,
  locate: Locator,
  media: Map<string, MediaFile>,
): Promise<string> {
  const nameOf = async (uri: string, place: Place) => {
    const at = await locate(uri, base, place);
    const known = media.get(at);
    if (known) return known.name;
    assertFew(media.size, place);
    const name = `${mediaFolder}/${media.size}${endingOf(new URL(at).pathname)}`;
    media.set(at, { name, place });
    return name;
  };
  const gaps = new Set(parseMediaPlaylist(text).segments.flatMap(({ gap, place }) => (gap ? [place] : [])));
  const lines: string[] = [];
  for (const line of text.lines) {
    if (line.kind === 'uri') {
      const uri = line.text.trim();
      // A gap has no file. Its URI does not stay, because it may be signed.
      lines.push(gaps.has(line.place) ? `gap${endingOf(withoutQuery(uri))}` : await nameOf(uri, line.place));
    } else if (line.tag === 'EXT-X-MAP') {
      const attributes = readAttributes(line);
      const name = await nameOf(findAttribute(attributes, 'URI') ?? '', line.place);
      lines.push(`#${line.tag}:${formatAttributeList(replaceUri(attributes, name))}`);
    } else lines.push(line.text);
  }
  return `${lines.join('\n')}\n`;
}

/** A tag that is kept may name a file of the source. What opens that must not be published with the output. */
function hideSignatures(text: string, base: string): string {
  return text.replace(/URI="([^"\n]*)"/g, (attribute, uri: string) => {
    const target = URL.parse(uri, base);
    return target && target.origin !== new URL(base).origin ? attribute : `URI="${showUrl(uri)}"`;
  });
}

/** A server that restarts is back by the last one: they take 1, 2 and 4 seconds after each other. */
const attempts = 4;

interface DownloadTools extends Pick<CommandContext, 'wait' | 'signal'> {
  readonly request: RequestSource;
  /** A larger file is refused. */
  readonly mostBytes: number;
  /** Counts bytes that arrived. @throws AppError `VALIDATION_FAILED` once they are too many */
  readonly count: (bytes: number) => void;
  /** Shows the progress of the work, which calls its argument after each of the files. */
  readonly showProgress: (files: number, work: (fileDone: () => void) => Promise<void>) => Promise<void>;
}

/**
 * Writes a file. Its time of change is made of its bytes: the same file has the same time when it is downloaded again, so that an upload goes on
 * (`describeWork`).
 *
 * @throws AppError `VALIDATION_FAILED`, or an error of the file system
 */
async function downloadFile(url: string, path: string, tools: DownloadTools, place: Place): Promise<void> {
  await repeat(tools, place, async () => {
    const hash = createHash('sha256');
    const file = await open(path, 'w');
    try {
      const write = async (chunk: Uint8Array) => {
        tools.count(chunk.length);
        hash.update(chunk);
        // Errors of an open file lack its path, which tells an operator whose disk is full.
        await file.writeFile(chunk).catch((error: Error) => {
          throw Object.assign(error, { path });
        });
      };
      await tools.request(url, { mostBytes: tools.mostBytes, write });
      const seconds = hash.digest().readUInt32BE();
      await file.utimes(seconds, seconds);
    } finally {
      await file.close();
    }
  });
}

/** Repeats what a later attempt may cure: no answer, an answer that ended early, 5xx and 429. */
async function repeat<T>(
  { wait, signal }: DownloadTools,
  place: Place | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      const isFinal = error.status !== undefined && error.status < 500 && error.status !== 429;
      if (isFinal || attempt === attempts)
        throw place ? playlistError(place, error.message, error) : refusal(error.message, error);
      await wait(2 ** (attempt - 1), signal);
    }
  }
}
