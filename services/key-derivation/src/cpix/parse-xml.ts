import { DOMParser, type Document, type Element, type Node, ParseError, XMLSerializer } from '@xmldom/xmldom';
import { refuseXml } from './refusal.ts';
import { checkBounds } from './xml-bounds.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
/** XML 1.0 section 2.8. Any text that looks like one counts: the packager has no need of it, not even in a comment. */
const doctype = /<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i;
const declaration = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/i;
/** All that XML 1.0 section 2.2 excludes, without the surrogates, which UTF-8 cannot have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML excludes.
const excluded = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/**
 * Parses XML that a packager sent. No entity is ever resolved but the five of XML itself, and nothing is fetched.
 *
 * @throws AppError VALIDATION_FAILED if it is not well-formed XML in UTF-8, has a DOCTYPE, or is beyond the bounds
 */
export function parseXml(bytes: Buffer): Document {
  const text = decode(bytes);
  if (doctype.test(text)) throw refuseXml('must not have a DOCTYPE');
  const [, encoding = 'utf-8'] = declaration.exec(text) ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(encoding)) throw refuseXml('must be UTF-8');
  if (excluded.test(text)) throw refuseXml('must not have control characters');
  checkBounds(text);
  const document = parse(text);
  checkCharacters(document);
  return document;
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw refuseXml('must be UTF-8');
  }
}

function parse(text: string): Document {
  const parser = new DOMParser({
    // A warning is about something that is not well-formed too, such as an attribute without quotes.
    onError: (_level, message) => {
      throw new ParseError(message);
    },
  });
  try {
    return parser.parseFromString(text, 'application/xml');
  } catch (error) {
    // Its message quotes the document, which may be long or hold anything.
    if (error instanceof ParseError) throw refuseXml('must be well-formed XML');
    throw error;
  }
}

/** The parser lets character references to excluded characters pass. */
function checkCharacters(document: Document): void {
  const waiting: Node[] = [document];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const attributes = node.nodeType === node.ELEMENT_NODE ? [...(node as Element).attributes] : [];
    for (const value of [node.nodeValue, ...attributes.map((attribute) => attribute.value)])
      if (value !== null && excluded.test(value)) throw refuseXml('must not have control characters');
    waiting.push(...node.childNodes);
  }
}

/** @returns a document in UTF-8 with its declaration */
export function writeXml(document: Document): string {
  const text = new XMLSerializer().serializeToString(document.documentElement as Node);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
}
