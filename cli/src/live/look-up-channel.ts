import type { LiveTools } from './encrypt-segment.ts';
import { type Channel, type FoundRendition, readChannel } from './load-channel.ts';
import { matchRenditions } from './match-renditions.ts';

/** The playlists of a channel, which its server may put elsewhere at any time. */
export interface ChannelLookup {
  /**
   * Looks up where the playlist of a rendition is now. The address that was given is asked once for all renditions, and at most once in a
   * target duration.
   *
   * @param used where it was found last, and where it is read after redirects
   * @returns undefined if nothing new is known
   * @throws SourceUnavailable, or AppError `VALIDATION_FAILED`
   */
  renew(name: string, used: UsedPlaylist, targetSeconds: number): Promise<string | undefined>;
}

interface UsedPlaylist {
  readonly found: string;
  readonly location: string;
}

/** @param names of the renditions of `channel`, which was read just now */
export function createChannelLookup(
  address: string,
  channel: Channel,
  names: ReadonlyMap<FoundRendition, string>,
  tools: LiveTools,
): ChannelLookup {
  const { clock, warn } = tools;
  const known = [...names].map(([{ attributes }, name]) => ({ attributes, name }));
  const found = new Map([...names].map(([{ location }, name]) => [name, location]));
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
    async renew(name, used, targetSeconds) {
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
