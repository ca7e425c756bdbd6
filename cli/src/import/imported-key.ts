import { isContentId, maxEpoch } from '@latchkey/shared/contracts';
import type { KeyName } from '../encrypt/content-key-source.ts';
import { refusal } from '../refusal.ts';

/** A key that exists already, and what it becomes the key of. */
export interface FoundKey extends KeyName {
  /** 16 bytes. */
  readonly key: Buffer;
  /** Where it was found, for messages: a file, a line, a URL. Never the key. */
  readonly place: string;
}

/** AES-128 (RFC 8216 section 4.3.2.4). */
const keyBytes = 16;

/** The largest file of a key: a text of 32 digits, with an end of line. */
export const keyFileMostBytes = 64;

/**
 * A key in a file: 16 bytes, or a text of 32 hexadecimal digits or of 24 characters of base64.
 *
 * @throws AppError `VALIDATION_FAILED` with the place, and never the content
 */
export function readKeyBytes(bytes: Buffer, place: string): Buffer {
  const key = bytes.length === keyBytes ? bytes : decodeKey(bytes.toString('latin1').trim());
  if (key) return key;
  throw refusal(
    `${place} has ${bytes.length} bytes and is not a key; accepted: the 16 bytes of an AES-128 key, or these in hex or base64`,
  );
}

/** A key in a text: 32 hexadecimal digits, or 24 characters of base64. @throws AppError `VALIDATION_FAILED` */
export function readKeyText(text: string, place: string): Buffer {
  const key = decodeKey(text);
  if (key) return key;
  throw refusal(`${place}: the key is neither 32 hexadecimal digits nor 24 characters of base64`);
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{32}$/i.test(text)) return Buffer.from(text, 'hex');
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === keyBytes && decoded.toString('base64') === text ? decoded : undefined;
}

/** @returns undefined for an empty text: the key without an epoch. @throws AppError `VALIDATION_FAILED` */
export function readEpoch(text: string, place: string): number | undefined {
  if (text === '') return undefined;
  const epoch = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
  if (epoch <= maxEpoch) return epoch;
  throw refusal(
    `${place}: "${hideKey(text)}" is not an epoch; accepted: 0 to ${maxEpoch} without leading zeros`,
  );
}

/** @throws AppError `VALIDATION_FAILED` for two different keys of one name */
export function assertDistinct(keys: readonly FoundKey[]): void {
  const seen = new Map<string, FoundKey>();
  for (const found of keys) {
    const name = `${found.contentId}/${found.epoch ?? ''}`;
    const other = seen.get(name);
    if (other && !other.key.equals(found.key))
      throw refusal(`${other.place} and ${found.place} are two different keys of ${describeName(found)}`);
    seen.set(name, found);
  }
}

export function describeName({ contentId, epoch }: KeyName): string {
  return epoch === undefined ? contentId : `${contentId}, epoch ${epoch}`;
}

/** The shortest form of a key is base64 without its end: 22 characters. */
const shortestKey = 22;

/** Hides a key in a message about another value. If the columns of a table are in another order, the value is a key. */
export function hideKey(value: string): string {
  return value.length < shortestKey ? value : '***';
}

const tableHead = 'contentId,epoch,key';

/**
 * The keys of a table: a line of names, then a line for each key. No value has a comma or a quote, so neither is read.
 *
 * @param path for messages
 * @throws AppError `VALIDATION_FAILED` with the line
 */
export function parseKeyTable(text: string, path: string): FoundKey[] {
  const [head = '', ...lines] = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (head.trim() !== tableHead) throw refusal(`${path}:1: the first line is not "${tableHead}"`);
  const keys = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseLine(line, `${path}:${index + 2}`)],
  );
  if (keys.length === 0) throw refusal(`${path} has no key`);
  return keys;
}

function parseLine(line: string, place: string): FoundKey {
  const fields = line.split(',').map((field) => field.trim());
  const [contentId = '', epoch = '', key = ''] = fields;
  if (fields.length !== 3) throw refusal(`${place}: has ${fields.length} values; accepted: ${tableHead}`);
  if (!isContentId(contentId))
    throw refusal(
      `${place}: "${hideKey(contentId)}" cannot be the id of a content; accepted: 1 to 256 of A-Z a-z 0-9 _ -`,
    );
  return { contentId, epoch: readEpoch(epoch, place), key: readKeyText(key, place), place };
}

/** The inverse of {@link parseKeyTable}. */
export function formatKeyTable(keys: readonly Pick<FoundKey, 'contentId' | 'epoch' | 'key'>[]): string {
  const lines = keys.map(({ contentId, epoch, key }) => `${contentId},${epoch ?? ''},${key.toString('hex')}`);
  return `${[tableHead, ...lines].join('\n')}\n`;
}
