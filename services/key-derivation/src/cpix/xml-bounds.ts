import { refuseXml } from './refusal.ts';

/**
 * Several times what a document with 64 keys has: some 1,800 tags, 1,500 attributes, a dozen namespaces, five levels. Without these bounds,
 * 256 KiB can take the parser half a second: it copies all namespaces at each element that declares one.
 */
const bounds = {
  tags: 4_096,
  attributes: 8_192,
  namespaces: 512,
  levels: 32,
} as const;

/**
 * Refuses what would cost the parser more than a document of a packager. It takes time in proportion to the text, and no memory.
 *
 * @throws AppError VALIDATION_FAILED
 */
export function checkBounds(text: string): void {
  if (count(text, '=') > bounds.attributes)
    throw refuseXml(`must have at most ${bounds.attributes} attributes`);
  if (count(text, 'xmlns') > bounds.namespaces)
    throw refuseXml(`must declare at most ${bounds.namespaces} namespaces`);
  let level = 0;
  let tags = 0;
  for (let at = text.indexOf('<'); at !== -1; ) {
    const end = endOfToken(text, at);
    if (end === -1) throw refuseXml('must be well-formed XML');
    if (++tags > bounds.tags) throw refuseXml(`must have at most ${bounds.tags} tags`);
    const second = text[at + 1];
    if (second === '/') level--;
    else if (second !== '!' && second !== '?' && text[end - 2] !== '/') level++;
    if (level > bounds.levels) throw refuseXml(`must be at most ${bounds.levels} levels deep`);
    at = text.indexOf('<', end);
  }
}

/** Tokens that begin with `<` and are not tags: the beginning and the end of each. */
const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** @returns the index behind the token that begins at `at`; -1 if it does not end */
function endOfToken(text: string, at: number): number {
  for (const [begin, end] of sections) {
    if (!text.startsWith(begin, at)) continue;
    const found = text.indexOf(end, at + begin.length);
    return found === -1 ? -1 : found + end.length;
  }
  let quote = '';
  for (let index = at + 1; index < text.length; index++) {
    const letter = text[index] as string;
    // Not even an attribute's value may hold it (XML 1.0 section 2.4).
    if (letter === '<') return -1;
    // A value in quotes may hold `>`.
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '>') return index + 1;
    else if (letter === '"' || letter === "'") quote = letter;
  }
  return -1;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
