/** One line of a playlist (RFC 8216 section 4.1): a URI, a tag, or `other` (a comment, a blank line). */
export interface PlaylistLine {
  readonly kind: 'uri' | 'tag' | 'other';
  readonly text: string;
  /** Of a tag: `EXT-X-KEY`, without `#` and value. Empty otherwise. */
  readonly tag: string;
  /** Of a tag: what follows the first colon. Empty otherwise. */
  readonly value: string;
  /** Counted from 1. */
  readonly number: number;
}

/**
 * Splits a playlist into lines, which may end in LF or CRLF. Blank lines at the end are dropped.
 *
 * @param text without a byte order mark
 * @returns null if it does not begin with `#EXTM3U`, so it is not a playlist
 */
export function splitLines(text: string): readonly PlaylistLine[] | null {
  const lines = readLines(text);
  return lines && [...lines];
}

/** As {@link splitLines}, but each line is read when it is asked for: a caller may pause between two lines. */
export function readLines(text: string): Iterable<PlaylistLine> | null {
  const end = endOfLines(text);
  if (text.slice(0, endOfLine(text, 0, end)).trim() !== '#EXTM3U') return null;
  return { [Symbol.iterator]: () => iterate(text, end) };
}

function* iterate(text: string, end: number): Generator<PlaylistLine, undefined> {
  let start = 0;
  for (let number = 1; ; number++) {
    const next = endOfLine(text, start, end);
    const isCrLf = text[next] === '\n' && next > start && text[next - 1] === '\r';
    yield readLine(text.slice(start, isCrLf ? next - 1 : next), number);
    if (next >= end) return;
    start = next + 1;
  }
}

/** Where the blank lines at the end begin. */
function endOfLines(text: string): number {
  let end = text.length;
  while (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1;
  return end;
}

function endOfLine(text: string, start: number, end: number): number {
  const next = text.indexOf('\n', start);
  return next === -1 || next > end ? end : next;
}

/** `#EXT`, then the rest of the name. The value ends the line. */
const tagPattern = /^#(EXT[A-Z0-9-]*)(?::(.*))?$/;

function readLine(text: string, number: number): PlaylistLine {
  const [, tag = '', value = ''] = tagPattern.exec(text.trimEnd()) ?? [];
  if (tag !== '') return { kind: 'tag', text, tag, value, number };
  const kind = text.trim() === '' || text.startsWith('#') ? 'other' : 'uri';
  return { kind, text, tag, value, number };
}
