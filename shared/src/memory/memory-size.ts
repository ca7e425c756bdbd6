const oneBytePerCharacter = /^[\0-\xff]*$/;
const wordBytes = 8;
/** Its hidden class, and where further properties and elements would stand. */
const headerWords = 3;
/** A hidden class and 64 bits. */
const numberObjectBytes = 16;
/** The header of a text in V8 (map, hash and length), and rounding up to a word. */
const textHeaderBytes = 24;

/**
 * A slot of a `Map`: three words, its share of the buckets, and as much again, because the table of a map doubles when it
 * is full and the old one is still there meanwhile.
 */
export const mapSlotBytes = 64;

/** What a text takes in V8's heap. */
export function textBytes(text: string): number {
  return textHeaderBytes + text.length * (oneBytePerCharacter.test(text) ? 1 : 2);
}

/** What an object with so many fields takes in V8's heap: a word for each, and a header of three. What they refer to comes on top. */
export function objectBytes(fields: number): number {
  return wordBytes * (headerWords + fields);
}

/**
 * What a number takes beside its field: nothing where it is whole and fits 32 bits, which V8 keeps in the field itself, else an
 * object of its own.
 */
export function numberBytes(number: number | null | undefined): number {
  if (number === null || number === undefined) return 0;
  return Number.isInteger(number) && Math.abs(number) < 2 ** 31 ? 0 : numberObjectBytes;
}

/**
 * A copy that holds no other text in memory. A part of a text (of a URL, of a header) is kept by V8 as a window on the
 * whole, so a key of 20 characters could hold a request line of 16 KB for as long as it is cached.
 */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}
