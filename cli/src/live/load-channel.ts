import { AppError } from '@latchkey/shared/errors';
import { createRenditionNamer } from '../encrypt/target-names.ts';
import { type MultivariantPlaylist, parseMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { playlistError } from '../hls/playlist-error.ts';
import { classifyPlaylist, type PlaylistText, splitPlaylist } from '../hls/playlist-lines.ts';
import { inspectTags } from '../hls/refused-tags.ts';
import { withoutQuery } from '../hls/resolve-reference.ts';
import { hideUrls, showUrl } from '../show-url.ts';
import type { LiveTools } from './encrypt-segment.ts';

/** A live presentation: one media playlist, or several below a multivariant playlist. */
interface Channel {
  /** Undefined for a media playlist alone. */
  readonly multivariant: MultivariantPlaylist | undefined;
  readonly renditions: readonly { readonly name: string; readonly location: string }[];
  /** The name of the rendition of each URI in the multivariant playlist. */
  readonly nameOfUri: ReadonlyMap<string, string>;
}

/** Encoders start before or after this command. */
const retrySeconds = 0.5;
/** A playlist that is wrong for so long is not one that is just being written. */
const patienceMs = 3_000;

/**
 * Reads the playlist that was given, and waits until it is there.
 *
 * @param location of the playlist
 * @throws AppError `VALIDATION_FAILED` if it cannot be encrypted
 */
export async function loadChannel(location: string, tools: LiveTools): Promise<Channel> {
  const { source, clock, wait, signal, warn } = tools;
  let wrongSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const file = await source.readChanged(location, undefined);
      if (file) return await readChannel(splitPlaylist(location, file.bytes), location, tools);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) {
        wrongSince ??= clock.monotonic();
        if (clock.monotonic() - wrongSince > patienceMs) throw error;
      } else warn(`waits for the source: ${hideUrls((error as Error).message)}`);
    }
    await wait(retrySeconds, signal);
  }
}

async function readChannel(
  text: PlaylistText,
  location: string,
  { source, warn }: Pick<LiveTools, 'source' | 'warn'>,
): Promise<Channel> {
  const nameRendition = createRenditionNamer();
  for (const warning of inspectTags(text)) warn(warning);
  if (classifyPlaylist(text) === 'media') {
    const rendition = { name: nameRendition(lastPart(location)), location };
    return { multivariant: undefined, renditions: [rendition], nameOfUri: new Map() };
  }
  const multivariant = parseMultivariantPlaylist(text);
  const nameOfUri = new Map<string, string>();
  const nameOfLocation = new Map<string, string>();
  for (const line of multivariant.lines) {
    if ('text' in line) continue;
    const uri = 'variantUri' in line ? line.variantUri : line.taggedUri;
    const place = { playlist: location, line: line.line };
    const target = await source.resolve(uri, location, place);
    const name = nameOfLocation.get(target) ?? nameRendition(withoutQuery(showUrl(uri)));
    nameOfLocation.set(target, name);
    nameOfUri.set(uri, name);
  }
  if (nameOfLocation.size === 0) throw playlistError({ playlist: location }, 'names no media playlist');
  const renditions = [...nameOfLocation].map(([target, name]) => ({ name, location: target }));
  return { multivariant, renditions, nameOfUri };
}

function lastPart(location: string): string {
  return withoutQuery(location).replace(/^.*[/\\]/s, '');
}
