/** One `AttributeName=AttributeValue` of a tag. The value of a quoted string is kept without its quotes. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly quoted: boolean;
}

/** In the order of the tag, so that unknown attributes are written back in their place. */
export type AttributeList = readonly Attribute[];

/**
 * One attribute and what follows it (RFC 8216 section 4.2): a name of `A-Z 0-9 -`, then a quoted string without CR, LF
 * and `"`, or anything else up to the next comma. Spaces around a comma violate the RFC, but some encoders write them.
 */
const attributePattern = /\s*([A-Z0-9-]+)=(?:"([^"\r\n]*)"|([^",\r\n]*))\s*(,|$)/y;

/**
 * Reads an attribute list (RFC 8216 section 4.2).
 *
 * @throws SyntaxError if the text is not one, or names an attribute twice, which that section forbids
 */
export function parseAttributeList(text: string): AttributeList {
  const attributes: Attribute[] = [];
  const pattern = new RegExp(attributePattern);
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw new SyntaxError(`not an attribute list from "${text.slice(start, start + 40)}" on`);
    const [, name = '', quotedValue, plainValue = '', end] = match;
    if (findAttribute(attributes, name) !== undefined) {
      throw new SyntaxError(`the attribute ${name} stands there twice`);
    }
    attributes.push({
      name,
      value: quotedValue ?? plainValue.trimEnd(),
      quoted: quotedValue !== undefined,
    });
    if (end === ',' && pattern.lastIndex === text.length) {
      throw new SyntaxError('an attribute list that ends in a comma');
    }
  }
  return attributes;
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
