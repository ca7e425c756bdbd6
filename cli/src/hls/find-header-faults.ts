import type { MediaPlaylist } from './media-playlist.ts';
import type { PlaylistText } from './playlist-lines.ts';

/**
 * Tags of a whole media playlist that players refuse by their value or their place (RFC 8216 section 4.3.3). An encrypted playlist has
 * them as they must be.
 *
 * @returns one sentence each
 */
export function findHeaderFaults({ playlist, lines }: PlaylistText, media: MediaPlaylist): string[] {
  const faults: string[] = [];
  const { segments, targetSeconds } = media;
  const target = lines.find(({ tag }) => tag === 'EXT-X-TARGETDURATION');
  const stated = Number(target?.value);
  const longer = segments.find(({ seconds }) => Math.round(seconds) > stated);
  const written = `players refuse that, and ${targetSeconds} is written`;
  if (!target) faults.push(`${playlist}: has no #EXT-X-TARGETDURATION; ${written}`);
  else if (longer)
    faults.push(
      `${playlist}:${target.number}: #EXT-X-TARGETDURATION is below the ${longer.seconds} s of line ${longer.place.line}, rounded; ${written}`,
    );
  else if (stated !== targetSeconds)
    faults.push(
      `${playlist}:${target.number}: #EXT-X-TARGETDURATION is not a whole number of seconds from 1; ${written}`,
    );
  const [first] = segments;
  for (const { tag, number } of lines)
    if (tag === 'EXT-X-MEDIA-SEQUENCE' && first && number > first.place.line)
      faults.push(
        `${playlist}:${number}: #EXT-X-MEDIA-SEQUENCE stands after a segment, where players refuse it; it is written before the first one`,
      );
  return faults;
}
