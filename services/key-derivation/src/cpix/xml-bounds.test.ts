import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseXml } from './parse-xml.ts';
import { checkBounds } from './xml-bounds.ts';

const refused = (message: string) =>
  expect.objectContaining({ code: 'VALIDATION_FAILED', detail: `The request ${message}.` });
const nested = (levels: number, inside = '') => `${'<a>'.repeat(levels)}${inside}${'</a>'.repeat(levels)}`;

describe('levels are counted as the parser counts them', () => {
  it.each([
    ['an element', nested(32)],
    ['elements that are empty', nested(31, '<a/>'.repeat(100))],
    ['an element that ends in an attribute with a slash', nested(31, '<a b="/"></a><a b=\'/>\'></a>')],
    ['text in comments', nested(32, `<!--${'<a>'.repeat(50)}-->`)],
    ['text in CDATA', nested(32, `<![CDATA[${'<a>'.repeat(50)}]]>`)],
    ['text in instructions', nested(32, `<?x ${'<a>'.repeat(50)}?>`)],
  ])('32 levels with %s are within the bounds', (_, text) => {
    expect(() => checkBounds(text)).not.toThrow();
    expect(() => parseXml(Buffer.from(text))).not.toThrow();
  });

  it.each([
    ['plain elements', nested(33)],
    ['elements that never end', '<a>'.repeat(33)],
    ['ends in comments', `<a><!-- </a> -->`.repeat(33)],
    ['ends in CDATA', `<a><![CDATA[</a>]]>`.repeat(33)],
    ['ends in instructions', `<a><?x </a>?>`.repeat(33)],
    ['a slash before the end of a value', `<a b="/">`.repeat(33)],
    ['an end in a value', `<a b="/>">`.repeat(33)],
  ])('33 levels are refused with %s', (_, text) => {
    expect(() => checkBounds(text)).toThrow(refused('must be at most 32 levels deep'));
  });
});

it.each(['<', '<a', '<a b="', "<a b='>", '<!-- ', '<![CDATA[ ]]', '<? ', '<a <b>>', '<a b="<">'])(
  '%j, which has a tag without an end, is not well-formed',
  (text) => expect(() => checkBounds(text)).toThrow(refused('must be well-formed XML')),
);

test('a text of any tokens is refused with a reason or parsed, and none makes the parser throw anything else', () => {
  const elements = '<a>|</a>|<a/>|<a b="c">|<a b=\'>\'/>|<p:a xmlns:p="u">|<p:a>|</p:a>'.split('|');
  const others = '<!--|-->|<![CDATA[|]]>|<?x|?>|<|>|"|\'|&|&amp;|&#1;|&x;|text| |<!DOCTYPE a>|=|:'.split('|');
  const token = fc.constantFrom(...elements, ...others);
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
      try {
        parseXml(Buffer.from(tokens.join('')));
      } catch (error) {
        expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a document with as many attributes as the contract allows is parsed, and one more is refused', () => {
  const withAttributes = (count: number) =>
    `<a ${Array.from({ length: count }, (_, index) => `a${index}="1"`).join(' ')}/>`;
  expect(() => parseXml(Buffer.from(withAttributes(8_192)))).not.toThrow();
  expect(() => parseXml(Buffer.from(withAttributes(8_193)))).toThrow(
    refused('must have at most 8192 attributes'),
  );
});
