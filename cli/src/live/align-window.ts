import { showUrl } from '../show-url.ts';
import type { LiveEntry } from './rendition-state.ts';
import type { SourceSegment, SourceWindow } from './source-window.ts';

/**
 * How a playlist that was read now goes with the segments that were taken before.
 *
 * - `first`: nothing was taken before.
 * - `continues`: it goes on after them, or has nothing new.
 * - `lost`: segments between have left it already.
 * - `restarted`: the packager has started its numbering again.
 * - `unclear`: it has nothing new and what it has looks like what was taken. Either a cache gave an older copy, or a packager that
 *   started again writes the same names. The bytes of `segment` show which.
 */
export type Alignment =
  | { readonly kind: 'first' | 'continues' | 'lost' | 'restarted' }
  | { readonly kind: 'unclear'; readonly entry: LiveEntry; readonly segment: SourceSegment };

/**
 * @param entries that were taken from the source
 * @param lastSource number of the last of them in the source
 * @param verify look into the files even if the numbers go on, as after a start of this process
 */
export function alignWindow(
  entries: readonly LiveEntry[],
  lastSource: number | null,
  { segments }: SourceWindow,
  verify: boolean,
): Alignment {
  if (lastSource === null) return { kind: 'first' };
  const first = segments[0]?.number ?? 0;
  const last = segments.at(-1)?.number ?? 0;
  const taken = new Map(
    entries.flatMap((entry) => (entry.source === null ? [] : [[entry.source, entry] as const])),
  );
  let common: { entry: LiveEntry; segment: SourceSegment } | undefined;
  for (const segment of segments) {
    const entry = taken.get(segment.number);
    if (!entry) continue;
    // A byte range of the same file counts as the same URI: the numbers and lengths tell.
    if (entry.uri !== showUrl(segment.uri) || entry.seconds !== segment.seconds) return { kind: 'restarted' };
    if (entry.encryption) common = { entry, segment };
  }
  if (common && (verify || last <= lastSource)) return { kind: 'unclear', ...common };
  if (last < lastSource && !common) return { kind: 'restarted' };
  return { kind: first > lastSource + 1 ? 'lost' : 'continues' };
}
