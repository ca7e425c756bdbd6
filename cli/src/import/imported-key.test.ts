import { describe, expect, test } from 'vitest';
import {
  assertDistinct,
  formatKeyTable,
  parseKeyTable,
  readEpoch,
  readKeyBytes,
  readKeyText,
} from './imported-key.ts';

const hex = '00112233445566778899aabbccddeeff';
const key = Buffer.from(hex, 'hex');

describe('a key', () => {
  test('in a file is 16 bytes, or these in hex or base64 with an end of line', () => {
    const texts = [hex, `${hex.toUpperCase()}\r\n`, key.toString('base64'), `${key.toString('base64')}\n`];
    for (const bytes of [key, ...texts.map((text) => Buffer.from(text))])
      expect(readKeyBytes(bytes, 'a.key')).toEqual(key);
  });

  test.each([0, 15, 17, 31, 33, 64])(
    'in a file of %i bytes is refused with the place and without the content',
    (size) => {
      const bytes = Buffer.alloc(size, 'k');
      expect(() => readKeyBytes(bytes, 'a.key')).toThrow(`a.key has ${size} bytes and is not a key`);
    },
  );

  test('in a text is hex or base64, and a text that is neither is not shown', () => {
    expect(readKeyText(hex, 'x')).toEqual(key);
    expect(readKeyText(key.toString('base64'), 'x')).toEqual(key);
    for (const text of ['', `${hex}0`, 'secret', key.toString('base64url'), ` ${hex}`])
      expect(() => readKeyText(text, 'x:2')).toThrow(
        /^x:2: the key is neither 32 hexadecimal digits nor 24 characters/,
      );
  });

  test('has an epoch without leading zeros, or none', () => {
    expect(['', '0', '4294967295'].map((text) => readEpoch(text, 'x'))).toEqual([
      undefined,
      0,
      4_294_967_295,
    ]);
    for (const text of ['01', '-1', '4294967296', '1.0', 'x', ' '])
      expect(() => readEpoch(text, 'x')).toThrow('x: "');
  });

  test('may be named twice if it is the same, and not if there are two', () => {
    const found = { contentId: 'film', epoch: 7, key, place: 'a' };
    expect(() => assertDistinct([found, { ...found, place: 'b' }])).not.toThrow();
    const other = { ...found, key: Buffer.alloc(16), place: 'b' };
    expect(() => assertDistinct([found, other])).toThrow('a and b are two different keys of film, epoch 7');
    expect(() => assertDistinct([found, { ...other, epoch: undefined }])).not.toThrow();
  });
});

describe('a table of keys', () => {
  test('is read as it is written, with either end of line and a byte order mark', () => {
    const keys = [
      { contentId: 'film', epoch: undefined, key },
      { contentId: 'film', epoch: 7, key: Buffer.alloc(16, 1) },
    ];
    const text = formatKeyTable(keys);
    const read = (table: string) => parseKeyTable(table, 'k.csv').map(({ place: _, ...rest }) => rest);
    expect(read(text)).toEqual(keys);
    expect(read(`\ufeff${text.replaceAll('\n', '\r\n')}\r\n`)).toEqual(keys);
  });

  test.each([
    ['id,epoch,key', 'k.csv:1: the first line is not'],
    ['contentId,epoch,key', 'k.csv has no key'],
    [`contentId,epoch,key\n\nfilm,7`, 'k.csv:3: has 2 values'],
    [`contentId,epoch,key\nfi lm,7,${hex}`, 'k.csv:2: "fi lm" cannot be the id'],
    [`contentId,epoch,key\nleases,,${hex}`, 'k.csv:2: "leases" cannot be the id'],
    [`contentId,epoch,key\nfilm,7,${hex}\nfilm,x,${hex}`, 'k.csv:3: "x" is not an epoch'],
  ])('%j is refused with the line', (text, message) => {
    expect(() => parseKeyTable(text, 'k.csv')).toThrow(message);
  });
});
