import { DOMParser, type Document, type Element, type Node, ParseError, XMLSerializer } from '@xmldom/xmldom';
import { refuseXml } from './refusal.ts';

/**
 * Bounds of a document with 64 keys, which has some 900 tags and 700 attributes, five levels deep. Without them, 256 KiB could hold 87,000
 * nested elements, which take 113 MB and 0.3 s to parse.
 */
const mostTags = 4_096;
const mostAttributes = 8_192;
const deepestLevel = 32;

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
 * @throws AppError VALIDATION_FAILED where it is not well-formed XML in UTF-8, has a DOCTYPE, or is beyond the bounds
 */
export function parseXml(bytes: Buffer): Document {
  const text = decode(bytes);
  if (doctype.test(text)) throw refuseXml('must not have a DOCTYPE');
  const [, encoding = 'utf-8'] = declaration.exec(text) ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(encoding)) throw refuseXml('must be UTF-8');
  if (excluded.test(text)) throw refuseXml('must not have control characters');
  if (text.split('<').length > mostTags) throw refuseXml(`must have at most ${mostTags} tags`);
  if (text.split('=').length > mostAttributes)
    throw refuseXml(`must have at most ${mostAttributes} attributes`);
  const document = parse(text);
  checkNodes(document);
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

/** What the parser lets pass: nesting, and character references to characters that XML excludes. */
function checkNodes(document: Document): void {
  const waiting: { node: Node; level: number }[] = [{ node: document, level: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, level } = next;
    if (level > deepestLevel) throw refuseXml(`must be at most ${deepestLevel} levels deep`);
    const attributes = node.nodeType === node.ELEMENT_NODE ? [...(node as Element).attributes] : [];
    for (const value of [node.nodeValue, ...attributes.map((attribute) => attribute.value)])
      if (value !== null && excluded.test(value)) throw refuseXml('must not have control characters');
    for (const child of node.childNodes) waiting.push({ node: child, level: level + 1 });
  }
}

/** @returns a document in UTF-8 with its declaration */
export function writeXml(document: Document): string {
  const text = new XMLSerializer().serializeToString(document.documentElement as Node);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
}
