import { Type } from '../schema/type.ts';
import { isContentId, NotACredential } from './ids.ts';
import type { TokenContents } from './principal.ts';

const form = '^(?!leases$)(?:[A-Za-z0-9_-]{1,256}|[A-Za-z0-9_-]{0,255}\\*)$';
const pattern = new RegExp(form);
/** An id as in `isContentId`, or how ids may begin, with a star at the end. */
export const ContentPatternSchema = Type.String({ pattern: form, ...NotACredential });

/** Whether a text names contents: an id such as `film`, or a prefix such as `acme-*`. `*` alone names all. */
export function isContentPattern(text: string): boolean {
  return pattern.test(text) && (text.endsWith('*') || isContentId(text));
}

/**
 * The contents that ids and prefixes name.
 *
 * @param patterns as `isContentPattern` takes them; `values` returns them as they are
 */
export function createContentPatterns(patterns: readonly string[]): TokenContents {
  const ids = new Set(patterns.filter((each) => !each.endsWith('*')));
  const prefixes = shortestOf(patterns.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1)));
  return {
    has: (contentId) =>
      isContentId(contentId) && (ids.has(contentId) || beginsWithOneOf(contentId, prefixes)),
    values: () => patterns,
  };
}

/**
 * Whether each of the patterns names only contents that the others name, too. An id or a prefix is within another one exactly if its text
 * is: the star is the last character.
 */
export function isWithinPatterns(patterns: readonly string[], others: readonly string[]): boolean {
  return patterns.every((text) =>
    others.some((other) => (other.endsWith('*') ? text.startsWith(other.slice(0, -1)) : text === other)),
  );
}

/** The prefixes in order, without any prefix that begins with another one. */
function shortestOf(prefixes: readonly string[]): string[] {
  const kept: string[] = [];
  for (const prefix of [...prefixes].sort()) {
    const last = kept.at(-1);
    if (last === undefined || !prefix.startsWith(last)) kept.push(prefix);
  }
  return kept;
}

/**
 * Finds the last prefix that does not sort after the id, in ten comparisons for a thousand prefixes. No other one can fit: a
 * shorter fitting prefix would make this one begin with it, and `shortestOf` has removed such prefixes.
 */
function beginsWithOneOf(id: string, prefixes: readonly string[]): boolean {
  let from = 0;
  let to = prefixes.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((prefixes[middle] ?? '') <= id) from = middle + 1;
    else to = middle;
  }
  const candidate = prefixes[from - 1];
  return candidate !== undefined && id.startsWith(candidate);
}
