import { createDecipheriv } from 'node:crypto';

/** A segment begins with one of these: what tells media from the noise that another key makes. */
const beginnings: readonly { what: string; matches: (bytes: Buffer) => boolean }[] = [
  { what: 'MPEG-TS', matches: (bytes) => bytes[0] === 0x47 && (bytes.length < 189 || bytes[188] === 0x47) },
  {
    what: 'fMP4',
    matches: (bytes) =>
      ['styp', 'ftyp', 'moof', 'moov', 'sidx', 'emsg', 'prft', 'free', 'skip', 'mdat'].includes(
        bytes.toString('latin1', 4, 8),
      ),
  },
  { what: 'ID3 of packed audio', matches: (bytes) => bytes.toString('latin1', 0, 3) === 'ID3' },
  { what: 'ADTS or MPEG audio', matches: (bytes) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0 },
  { what: 'AC-3', matches: (bytes) => bytes[0] === 0x0b && bytes[1] === 0x77 },
  { what: 'WebVTT', matches: (bytes) => /^(\xef\xbb\xbf)?WEBVTT/.test(bytes.toString('latin1', 0, 9)) },
];

/** A block of AES. */
const blockBytes = 16;

interface Proof {
  /** The kind of media. */
  readonly media: string;
  /** False if the segment does not end in the padding that RFC 8216 section 4.3.2.4 demands. */
  readonly isPadded: boolean;
}

/**
 * Decrypts a segment (RFC 8216 section 4.3.2.4: AES-128-CBC with PKCS7 padding) and looks whether it is media.
 *
 * Another key passes by chance once in some 500,000 times: 1 in 256 paddings is right, and 1 in some 1,900 beginnings looks like one of these.
 * As a key of a segment without padding it passes once in 1,900 times.
 *
 * @param segment whole blocks of 16 bytes
 * @param key 16 bytes
 * @param iv 16 bytes
 * @returns null if this is not the key of the segment
 */
export function proveKey(segment: Buffer, key: Buffer, iv: Buffer): Proof | null {
  const decipher = createDecipheriv('aes-128-cbc', key, iv).setAutoPadding(false);
  const clear = Buffer.concat([decipher.update(segment), decipher.final()]);
  const padding = countPadding(clear);
  const content = clear.subarray(0, clear.length - padding);
  const media = beginnings.find(({ matches }) => matches(content))?.what;
  return media === undefined ? null : { media, isPadded: padding > 0 };
}

/** RFC 5652 section 6.3: the last n bytes have the value n, 1 to the length of a block. @returns 0 without padding */
function countPadding(clear: Buffer): number {
  const count = clear.at(-1) ?? 0;
  const isPadding =
    count <= blockBytes && clear.subarray(clear.length - count).every((byte) => byte === count);
  return isPadding ? count : 0;
}
