import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Attribute,
  findAttribute,
  formatAttributeList,
  parseAttributeList,
  replaceUri,
} from './attribute-list.ts';

describe('an attribute list', () => {
  it('an attribute list keeps a comma and an equals sign in a quoted string', () => {
    const list = parseAttributeList('CODECS="avc1.4d401e,mp4a.40.2",NAME="a=b",BANDWIDTH=1280000');
    expect(findAttribute(list, 'CODECS')).toBe('avc1.4d401e,mp4a.40.2');
    expect(findAttribute(list, 'NAME')).toBe('a=b');
    expect(findAttribute(list, 'BANDWIDTH')).toBe('1280000');
  });

  it('an attribute list keeps hexadecimal, decimal, resolution and empty quoted values as they are written', () => {
    const text = 'IV=0x00fF,FRAME-RATE=29.970,RESOLUTION=1x1,X-EMPTY="",TIME-OFFSET=-4.5';
    expect(formatAttributeList(parseAttributeList(text))).toBe(text);
  });

  it('an attribute list may have spaces around commas', () => {
    expect(formatAttributeList(parseAttributeList('METHOD=NONE , URI="x"'))).toBe('METHOD=NONE,URI="x"');
  });

  it.each([
    ['a name without a value', 'METHOD'],
    ['a lower-case name', 'method=NONE'],
    ['an open quoted string', 'URI="x'],
    ['text after a quoted string', 'URI="x"y'],
    ['a comma at the end', 'A=1,'],
    ['a name that stands twice', 'A=1,A=2'],
    ['a quote in a plain value', 'A=1"'],
    ['more attributes than any tag has', Array.from({ length: 1_001 }, (_, n) => `A${n}=`).join(',')],
  ])('an attribute list with %s is refused', (_, text) => {
    expect(() => parseAttributeList(text)).toThrow(SyntaxError);
  });

  it('a refusal shows no value, because a value may be a key or a signed URL', () => {
    for (const text of [
      'URI="https://a/?token=canary"x',
      'URI="canary',
      'A=canary"',
      'A=canary,A=canary',
      'A=1,canary',
    ]) {
      expect(() => parseAttributeList(text)).toThrow(/^(?!.*canary)/);
    }
  });

  it('any attribute list is read back as it was written', () => {
    const plain = fc.stringMatching(/^[^",\s]{1,12}$/);
    const quoted = fc.string().map((text) => text.replace(/["\r\n]/g, ''));
    const attribute = fc.oneof(
      fc.record({ name: fc.stringMatching(/^[A-Z0-9-]{1,12}$/), value: plain, quoted: fc.constant(false) }),
      fc.record({ name: fc.stringMatching(/^[A-Z0-9-]{1,12}$/), value: quoted, quoted: fc.constant(true) }),
    );
    const list = fc.uniqueArray(attribute, { selector: ({ name }) => name, maxLength: 8 });
    fc.assert(
      fc.property(list, (attributes: Attribute[]) => {
        expect(parseAttributeList(formatAttributeList(attributes))).toEqual(attributes);
      }),
    );
  });

  it('any text gives an attribute list or a SyntaxError, and never hangs', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'A=",-x0 \t') }), (text) => {
        try {
          parseAttributeList(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
    );
  });

  it('replaceUri changes the URI of an attribute list and keeps the rest in its place', () => {
    const list = parseAttributeList('TYPE=AUDIO,URI="a.m3u8",BYTERANGE="1@0",NAME="x,y"');
    expect(formatAttributeList(replaceUri(list, 'b.m3u8', ['BYTERANGE']))).toBe(
      'TYPE=AUDIO,URI="b.m3u8",NAME="x,y"',
    );
  });
});
