import { withoutQuery } from '../hls/resolve-reference.ts';
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
 * - `unclear`: the bytes of `segment` decide. Either it has nothing new, and what it has looks like what was taken: a cache gave an older
 *   copy, or a packager that started again writes the same names. Or a number has another file name or length: a packager has started
 *   again, or a server has renewed the session in its URLs.
 */
export type Alignment =
  | { readonly kind: 'first' | 'continues' | 'lost' | 'restarted' }
  | ({ readonly kind: 'unclear' } & CommonSegment);

/** A segment that was taken, as the playlist names it now. */
export interface CommonSegment {
  readonly entry: LiveEntry;
  readonly segment: SourceSegment;
  readonly looksSame: boolean;
}

/**
 * @param entries that were taken from the source
 * @param lastSource number of the last of them in the source
 * @param how `verify`: look into the files even if the numbers go on, as after a start of this process. `namesVary`: paths do not count
 */
export function alignWindow(
  entries: readonly LiveEntry[],
  lastSource: number | null,
  { segments }: SourceWindow,
  { verify, namesVary }: { readonly verify: boolean; readonly namesVary: boolean },
): Alignment {
  if (lastSource === null) return { kind: 'first' };
  const first = segments[0]?.number ?? 0;
  const last = segments.at(-1)?.number ?? 0;
  const taken = new Map(
    entries.flatMap((entry) => (entry.source === null ? [] : [[entry.source, entry] as const])),
  );
  // The last one, which stays the longest; one that looks different before any other.
  let common: CommonSegment | undefined;
  for (const segment of segments) {
    const entry = taken.get(segment.number);
    // A gap has no bytes to compare.
    if (!entry?.encryption || segment.gap) continue;
    const looksSame = entry.seconds === segment.seconds && (namesVary || isNamed(entry, segment));
    if (!looksSame || common?.looksSame !== false) common = { entry, segment, looksSame };
  }
  if (common && (verify || !common.looksSame || last <= lastSource)) return { kind: 'unclear', ...common };
  if (last < lastSource && !common) return { kind: 'restarted' };
  return { kind: first > lastSource + 1 ? 'lost' : 'continues' };
}

/** Without the query, which may be signed anew at each look. A byte range of the same file counts as the same name. */
function isNamed({ uri }: LiveEntry, segment: SourceSegment): boolean {
  return withoutQuery(uri) === withoutQuery(showUrl(segment.uri));
}
