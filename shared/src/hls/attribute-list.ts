/** One `AttributeName=AttributeValue` of a tag. The value of a quoted string is kept without its quotes. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly quoted: boolean;
}

/** In the order of the tag, so that unknown attributes are written back in their place. */
export type AttributeList = readonly Attribute[];

/**
 * Far above any tag: a date range has some twenty. A tag with hundreds of thousands of attributes would take its reader a tenth of a second.
 */
const attributesAtMost = 1_000;

/**
 * Reads an attribute list (RFC 8216 section 4.2): names of `A-Z 0-9 -`, each with a quoted string without CR, LF and `"`, or with anything
 * else up to the next comma. Spaces around a comma violate the RFC, but some encoders write them. The text is read once, from left to right.
 *
 * @throws SyntaxError if the text is not one, has more than 1,000 attributes, or names one twice, which that section forbids. The message
 *   shows no value, which may be a key or a signed URL
 */
export function parseAttributeList(text: string): AttributeList {
  const attributes: Attribute[] = [];
  const names = new Set<string>();
  for (let at = 0; at < text.length; ) {
    const { attribute, end } = readAttribute(text, at);
    if (names.has(attribute.name))
      throw new SyntaxError(`the attribute ${attribute.name} stands there twice`);
    if (names.size === attributesAtMost) throw new SyntaxError(`more than ${attributesAtMost} attributes`);
    names.add(attribute.name);
    attributes.push(attribute);
    if (end === text.length - 1) throw new SyntaxError('an attribute list that ends in a comma');
    at = end + 1;
  }
  return attributes;
}

/** @returns the attribute, and the place of the comma after it or the length of the text */
function readAttribute(text: string, start: number): { attribute: Attribute; end: number } {
  const nameStart = skipSpaces(text, start);
  let at = nameStart;
  while (isNameCharacter(text.charCodeAt(at))) at++;
  const name = text.slice(nameStart, at);
  if (name === '' || text[at] !== '=') throw notAList(start);
  at++;
  const isQuoted = text[at] === '"';
  const close = isQuoted ? text.indexOf('"', at + 1) : -1;
  if (isQuoted && close === -1) throw notAList(start);
  const end = isQuoted ? skipSpaces(text, close + 1) : endOfPlainValue(text, at);
  if (end < text.length && text[end] !== ',') throw notAList(start);
  const value = isQuoted ? text.slice(at + 1, close) : text.slice(at, end).trimEnd();
  if (/[\r\n]/.test(value)) throw notAList(start);
  return { attribute: { name, value, quoted: isQuoted }, end };
}

/** The place of the first comma or quote from here on. */
function endOfPlainValue(text: string, start: number): number {
  let end = start;
  while (end < text.length && !isEndOfValue(text.charCodeAt(end))) end++;
  return end;
}

/** A comma or a quote. */
const isEndOfValue = (code: number) => code === 0x2c || code === 0x22;

function skipSpaces(text: string, start: number): number {
  let at = start;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** As `\s` of a regular expression. */
function isSpace(code: number): boolean {
  // Nearly all: without the texts of one character each that `trim` needs.
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return String.fromCharCode(code).trim() === '';
}

function isNameCharacter(code: number): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  return isDigit || (code >= 0x41 && code <= 0x5a) || code === 0x2d;
}

function notAList(at: number): SyntaxError {
  return new SyntaxError(`not an attribute list from its character ${at + 1} on`);
}

/** The inverse of {@link parseAttributeList}. */
export function formatAttributeList(attributes: AttributeList): string {
  return attributes.map(({ name, value, quoted }) => `${name}=${quoted ? `"${value}"` : value}`).join(',');
}

/** The value of the attribute without quotes; undefined if it is absent. */
export function findAttribute(attributes: AttributeList, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value;
}

/** The list with `URI` pointing elsewhere and without the attributes named in `dropped`. */
export function replaceUri(attributes: AttributeList, uri: string, dropped: readonly string[] = []) {
  return attributes
    .filter(({ name }) => !dropped.includes(name))
    .map((attribute) => (attribute.name === 'URI' ? { name: 'URI', value: uri, quoted: true } : attribute));
}
