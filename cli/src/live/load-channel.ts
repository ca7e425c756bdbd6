import { AppError } from '@latchkey/shared/errors';
import {
  type MultivariantPlaylist,
  parseMultivariantPlaylist,
  variantTag,
} from '../hls/multivariant-playlist.ts';
import { classifyPlaylist, playlistError, splitPlaylist } from '../hls/playlist-lines.ts';
import { inspectTags } from '../hls/refused-tags.ts';
import { withoutQuery } from '../hls/resolve-reference.ts';
import { hideUrls } from '../show-url.ts';
import type { LiveTools } from './encrypt-segment.ts';
import type { PlaylistVersion } from './live-source.ts';
import { type DescribedRendition, describeRendition, matchRenditions } from './match-renditions.ts';
import type { LivePlaylist } from './source-window.ts';

/** A media playlist that was found in a multivariant one, or that was given. */
export interface FoundRendition extends DescribedRendition {
  readonly location: string;
  /** As it was just read, if it is the one that was given. */
  readonly file?: PlaylistVersion | undefined;
  /** As the playlist names it, or the last part of the address that was given. */
  readonly uri: string;
}

/** A live presentation: one media playlist, or several below a multivariant playlist. */
export interface Channel {
  /** Undefined for a media playlist alone. */
  readonly multivariant: MultivariantPlaylist | undefined;
  /** Each location once. */
  readonly renditions: readonly FoundRendition[];
  /** The location of each URI in the multivariant playlist. */
  readonly locationOfUri: ReadonlyMap<string, string>;
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
 * Reads the given playlist, and waits until it exists.
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
async function readChannel(address: string, { source, warn }: LiveTools): Promise<Channel> {
  const file = await source.readChanged(address, undefined);
  const location = file?.location ?? address;
  const text = splitPlaylist(location, file?.bytes ?? Buffer.alloc(0));
  for (const warning of inspectTags(text)) warn(warning);
  if (classifyPlaylist(text) === 'media') {
    const attributes = describeRendition(variantTag, []);
    const uri = withoutQuery(address).replace(/^.*[/\\]/s, '');
    const rendition = { attributes, location: address, file, uri };
    return { multivariant: undefined, renditions: [rendition], locationOfUri: new Map() };
  }
  const multivariant = parseMultivariantPlaylist(text);
  const locationOfUri = new Map<string, string>();
  const byLocation = new Map<string, FoundRendition>();
  for (const named of multivariant.named) {
    const { uri, place } = named;
    const target = await source.resolve(named);
    const described = { attributes: describeRendition(named.tag, named.attributes), location: target, uri };
    byLocation.set(target, byLocation.get(target) ?? described);
    locationOfUri.set(uri, target);
    if (byLocation.size > mostRenditions)
      throw playlistError(place, `names more than ${mostRenditions} media playlists`);
  }
  if (byLocation.size === 0) throw playlistError({ playlist: location }, 'names no media playlist');
  return { multivariant, renditions: [...byLocation.values()], locationOfUri };
}

/** The playlists of a channel, which its server may put elsewhere at any time. */
export type ChannelLookup = ReturnType<typeof createChannelLookup>;

/** @param known the renditions of `channel`, which was read just now */
export function createChannelLookup(
  address: string,
  channel: Channel,
  known: readonly (FoundRendition & { readonly name: string })[],
  tools: LiveTools,
) {
  const { clock, warn } = tools;
  const found = new Map(known.map(({ location, name }) => [name, location]));
  let askedAt = clock.monotonic();
  let running: Promise<void> | undefined;

  async function lookUp(): Promise<void> {
    askedAt = clock.monotonic();
    const { renditions } = await readChannel(address, tools);
    const missing = new Set(known);
    for (const [{ location }, rendition] of matchRenditions(known, renditions)) {
      found.set(rendition.name, location);
      missing.delete(rendition);
    }
    for (const { name } of missing)
      warn(`${name}: the source has no such rendition now; its playlist stands still`);
  }

  return {
    /**
     * Looks up where the playlist of a rendition is now. The address that was given is asked once for all renditions, and at most once in a
     * target duration.
     *
     * @returns undefined if nothing new is known
     * @throws SourceUnavailable, or AppError `VALIDATION_FAILED`
     */
    async renew(name: string, used: LivePlaylist['place'], targetSeconds: number) {
      // Another rendition has asked meanwhile.
      if (found.get(name) !== used.found) return found.get(name);
      if (!running && clock.monotonic() - askedAt < targetSeconds * 1_000) return undefined;
      if (!channel.multivariant) {
        // The playlist itself was given. Without a redirect there is nothing else to ask.
        if (used.location === address) return undefined;
        askedAt = clock.monotonic();
        return address;
      }
      running ??= lookUp().finally(() => {
        running = undefined;
      });
      await running;
      return found.get(name) === used.found ? undefined : found.get(name);
    },
  };
}
