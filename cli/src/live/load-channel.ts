import { AppError } from '@latchkey/shared/errors';
import { type AttributeList, parseAttributeList } from '@latchkey/shared/hls';
import { type MultivariantPlaylist, parseMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { playlistError } from '../hls/playlist-error.ts';
import { classifyPlaylist, type PlaylistText, splitPlaylist } from '../hls/playlist-lines.ts';
import { inspectTags } from '../hls/refused-tags.ts';
import { hideUrls } from '../show-url.ts';
import type { LiveTools } from './encrypt-segment.ts';
import type { PlaylistVersion } from './live-source.ts';
import { type DescribedRendition, describeRendition } from './match-renditions.ts';

/** A media playlist that was found in a multivariant one, or that was given. */
export interface FoundRendition extends DescribedRendition {
  readonly location: string;
  /** As it was just read, if it is the one that was given. */
  readonly file?: PlaylistVersion | undefined;
  /** As the playlist names it. */
  readonly uri: string;
}

/** A live presentation: one media playlist, or several below a multivariant playlist. */
export interface Channel {
  /** Undefined for a media playlist alone. */
  readonly multivariant: MultivariantPlaylist | undefined;
  readonly renditions: readonly FoundRendition[];
  /** The rendition of each URI in the multivariant playlist. */
  readonly renditionOfUri: ReadonlyMap<string, FoundRendition>;
}

/** Encoders start before or after this command. */
const retrySeconds = 0.5;
/** Before the first playlist was read. */
export const assumedTargetSeconds = 2;
/** A playlist that is wrong for so long is not one that is just being written. */
const patienceMs = 3_000;
/** Each of them is followed. The largest presentations have some forty. */
const mostRenditions = 200;

/**
 * Reads the playlist that was given, and waits until it is there.
 *
 * @param address of the playlist
 * @throws AppError `VALIDATION_FAILED` if it cannot be encrypted
 */
export async function loadChannel(address: string, tools: LiveTools): Promise<Channel> {
  const { clock, wait, signal, warn } = tools;
  let wrongSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await readChannel(address, tools);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) {
        wrongSince ??= clock.monotonic();
        if (clock.monotonic() - wrongSince > patienceMs) throw error;
      } else warn(`waits for the source: ${hideUrls((error as Error).message)}`);
    }
    await wait(Math.max(retrySeconds, tools.source.pollSeconds(assumedTargetSeconds)), signal);
  }
}

/**
 * Reads the playlist that was given, once.
 *
 * @throws SourceUnavailable, or AppError `VALIDATION_FAILED`
 */
export async function readChannel(
  address: string,
  { source, warn }: Pick<LiveTools, 'source' | 'warn'>,
): Promise<Channel> {
  const file = await source.readChanged(address, undefined);
  const location = file?.location ?? address;
  const text = splitPlaylist(location, file?.bytes ?? Buffer.alloc(0));
  for (const warning of inspectTags(text)) warn(warning);
  if (classifyPlaylist(text) === 'media') {
    const attributes = describeRendition(variantTag, []);
    const rendition = { attributes, location: address, file, uri: address };
    return { multivariant: undefined, renditions: [rendition], renditionOfUri: new Map() };
  }
  return findRenditions(text, location, source);
}

const variantTag = 'EXT-X-STREAM-INF';

async function findRenditions(
  text: PlaylistText,
  location: string,
  source: LiveTools['source'],
): Promise<Channel> {
  const multivariant = parseMultivariantPlaylist(text);
  const renditionOfUri = new Map<string, FoundRendition>();
  const byLocation = new Map<string, FoundRendition>();
  for (const line of multivariant.lines) {
    if ('text' in line) continue;
    const isVariant = 'variantUri' in line;
    const uri = isVariant ? line.variantUri : line.taggedUri;
    const place = { playlist: location, line: line.line };
    const target = await source.resolve(uri, location, place);
    const attributes = isVariant
      ? describeRendition(variantTag, readLeniently(line.attributes))
      : describeRendition(line.tag, line.attributes);
    const rendition = byLocation.get(target) ?? { attributes, location: target, uri };
    byLocation.set(target, rendition);
    renditionOfUri.set(uri, rendition);
    if (byLocation.size > mostRenditions)
      throw playlistError(place, `names more than ${mostRenditions} media playlists`);
  }
  if (byLocation.size === 0) throw playlistError({ playlist: location }, 'names no media playlist');
  return { multivariant, renditions: [...byLocation.values()], renditionOfUri };
}

/** The line itself is kept as it is, so a fault in it is a matter for players. */
function readLeniently(attributes: string): AttributeList {
  try {
    return parseAttributeList(attributes);
  } catch {
    return [];
  }
}
