import { type AttributeList, findAttribute } from '@latchkey/shared/hls';
import { hideUrls } from '../show-url.ts';

/** The attributes by which a rendition is known again, and its `tag`. */
type RenditionAttributes = Readonly<Record<string, string>>;

export interface DescribedRendition {
  readonly attributes: RenditionAttributes;
}

/** The same for as long as an encoder writes the rendition (RFC 8216 section 4.3.4.1 and 4.3.4.2). */
const lasting = ['TYPE', 'GROUP-ID', 'NAME', 'LANGUAGE', 'RESOLUTION'];
/** The draft of its successor has the identifiers. An encoder that starts again may write other codecs. */
const usual = [
  ...lasting,
  ...['CODECS', 'FRAME-RATE', 'VIDEO-RANGE', 'AUDIO', 'VIDEO', 'SUBTITLES'],
  ...['STABLE-VARIANT-ID', 'STABLE-RENDITION-ID'],
];
/** Some servers measure it anew for each answer. */
const measured = 'BANDWIDTH';
/** From the strictest to the loosest. */
const comparisons = [[...usual, measured], usual, lasting];

/** Others, such as URI, may be another at each look, and may hold a secret. */
export function describeRendition(tag: string, attributes: AttributeList): RenditionAttributes {
  const told = [...usual, measured].flatMap((name) => {
    const value = findAttribute(attributes, name);
    return value === undefined ? [] : [[name, hideUrls(value)] as const];
  });
  return { tag, ...Object.fromEntries(told) };
}

/**
 * Finds the known renditions in a multivariant playlist that was read anew. Neither names nor URIs count: servers put the number of a session into them.
 *
 * The order of bandwidth distinguishes renditions with the same attributes. If one of them is missing, it matches none of them: a folder must
 * never get another picture than players expect.
 */
export function matchRenditions<Known extends DescribedRendition, Found extends DescribedRendition>(
  known: readonly Known[],
  found: readonly Found[],
): Map<Found, Known> {
  const matches = new Map<Found, Known>();
  const matched = new Set<Known>();
  const match = (names: readonly string[], mostAlike: number) => {
    const before = Map.groupBy(known, (rendition) => keyOf(rendition, names));
    for (const [key, alike] of Map.groupBy(found, (rendition) => keyOf(rendition, names))) {
      const alikeBefore = before.get(key) ?? [];
      const olds = inOrder(alikeBefore, (rendition) => !matched.has(rendition));
      const news = inOrder(alike, (rendition) => !matches.has(rendition));
      if (olds.length !== news.length || Math.max(alike.length, alikeBefore.length) > mostAlike) continue;
      for (const [index, rendition] of news.entries()) {
        const old = olds[index] as Known;
        matches.set(rendition, old);
        matched.add(old);
      }
    }
  };
  for (const names of comparisons) match(names, Number.POSITIVE_INFINITY);
  // The only video, or the only sound, whatever it looks like now.
  match(['TYPE'], 1);
  return matches;
}

function keyOf({ attributes }: DescribedRendition, names: readonly string[]): string {
  return JSON.stringify(['tag', ...names].map((name) => attributes[name]));
}

function inOrder<T extends DescribedRendition>(
  renditions: readonly T[],
  isFree: (rendition: T) => boolean,
): T[] {
  const bandwidth = ({ attributes }: T) => Number.parseInt(attributes[measured] ?? '', 10) || 0;
  return renditions.filter(isFree).sort((one, other) => bandwidth(one) - bandwidth(other));
}
