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
  const lines = text.replace(/(\r?\n)*$/, '').split(/\r?\n/);
  if (lines[0]?.trim() !== '#EXTM3U') return null;
  return lines.map((line, index) => readLine(line, index + 1));
}

function readLine(text: string, number: number): PlaylistLine {
  const [, tag = '', value = ''] = /^#(EXT[A-Z0-9-]*)(?::(.*))?$/.exec(text.trimEnd()) ?? [];
  if (tag !== '') return { kind: 'tag', text, tag, value, number };
  const kind = text.trim() === '' || text.startsWith('#') ? 'other' : 'uri';
  return { kind, text, tag, value, number };
}
