const oneBytePerCharacter = /^[\0-\xff]*$/;
const wordBytes = 8;
/** Its hidden class, and the pointers to further properties and elements. */
const headerWords = 3;
/** A hidden class and 64 bits. */
const numberObjectBytes = 16;
/** The header of a text in V8 (map, hash and length), and rounding up to a word. */
const textHeaderBytes = 24;

/**
 * A slot of an `LRUCache` with sizes. In its `Map`: three words, its share of the buckets, and the same again, because the table doubles when it is
 * full, while the old one still exists. In each of its five lists a word, and a quarter as much again, because they grow by half.
 */
export const slotBytes = 64 + 5 * 1.25 * wordBytes;

/** Bytes of a text in V8's heap. */
export function textBytes(text: string): number {
  return textHeaderBytes + text.length * (oneBytePerCharacter.test(text) ? 1 : 2);
}

/**
 * Bytes of an object with this many fields in V8's heap: a word for each, and a header of three. Referenced values are
 * extra.
 */
export function objectBytes(fields: number): number {
  return wordBytes * (headerWords + fields);
}

/**
 * Bytes of a number in addition to its field: 0 if it is whole and fits 32 bits, because V8 stores it in the field itself.
 * Any other number is a separate object.
 */
export function numberBytes(number: number | null | undefined): number {
  if (number === null || number === undefined) return 0;
  return Number.isInteger(number) && Math.abs(number) < 2 ** 31 ? 0 : numberObjectBytes;
}

/**
 * A copy that keeps no other text in memory. V8 stores a part of a text (of a URL, of a header) as a view of the whole,
 * so a key of 20 characters could keep a request line of 16 KB as long as it is cached.
 */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}
