/** A part of a file, as EXT-X-BYTERANGE and the BYTERANGE of EXT-X-MAP name it (RFC 8216 section 4.3.2.2). */
export interface ByteRange {
  readonly offset: number;
  /** Bytes, at least 1. */
  readonly length: number;
}

/**
 * Reads `<n>[@<o>]`. Without `o` the range begins where the one before it in the same file ended.
 *
 * @param nextOffset that end, or undefined where there is no range before it in the same file
 * @throws SyntaxError
 */
export function parseByteRange(text: string, nextOffset: number | undefined): ByteRange {
  const match = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text.trim());
  if (!match) throw new SyntaxError(`"${text}" is not a byte range; accepted: <length> or <length>@<offset>`);
  const length = Number(match[1]);
  const offset = match[2] === undefined ? nextOffset : Number(match[2]);
  if (offset === undefined) {
    throw new SyntaxError(`"${text}" has no offset, and no range of the same file stands before it`);
  }
  if (length === 0) throw new SyntaxError(`"${text}" is empty`);
  return { offset, length };
}
