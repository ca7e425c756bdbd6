import { readdir, readFile, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
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
function hideKey(value: string): string {
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

/** The usual endings of key files. */
const endings = ['.key', '.bin'];

/**
 * The keys of a folder: `film.key` is the key of the content `film`, `film/7.key` the key of its epoch 7. `live/camera-7.key`, a name
 * that SRS uses, is the key of epoch 7 of the content `camera`.
 *
 * @param contentId of all files, which are then called by their epochs or by one stream and its epochs; undefined for the form above
 * @throws AppError `VALIDATION_FAILED`
 */
export async function readKeyFolder(folder: string, contentId: string | undefined): Promise<FoundKey[]> {
  const keys = contentId === undefined ? await readContents(folder) : await readContent(folder, contentId);
  if (keys.length === 0)
    throw refusal(`${folder} has no key file; accepted: <content>.key and <content>/<epoch>.key, or .bin`);
  return keys;
}

async function readContents(folder: string): Promise<FoundKey[]> {
  const keys: FoundKey[] = [];
  const { files, folders } = await list(folder);
  for (const { path, name } of files) keys.push(await readKey(path, name, ''));
  for (const { path, base } of folders)
    for (const file of (await list(path)).files) {
      const { stream, epoch } = splitName(file.name);
      keys.push(await readKey(file.path, stream ?? base, epoch));
    }
  return keys;
}

async function readContent(folder: string, contentId: string): Promise<FoundKey[]> {
  const files = (await list(folder)).files.map(({ path, name }) => ({ path, ...splitName(name) }));
  const [first, other] = [...new Set(files.map(({ stream }) => stream ?? 'without a name'))];
  if (other !== undefined)
    throw refusal(
      `${folder} has keys of several streams (${first}, ${other}); import the folder above it without --content-id: each stream becomes a content`,
    );
  const keys: FoundKey[] = [];
  for (const { path, epoch } of files) keys.push(await readKey(path, contentId, epoch));
  return keys;
}

/** `camera-7` is epoch 7 of the stream `camera`, and `7` is epoch 7 of the only stream. */
function splitName(name: string): { stream: string | undefined; epoch: string } {
  const dash = name.lastIndexOf('-');
  if (dash < 1) return { stream: undefined, epoch: name };
  return { stream: name.slice(0, dash), epoch: name.slice(dash + 1) };
}

async function readKey(path: string, contentId: string, epoch: string): Promise<FoundKey> {
  const { size } = await stat(path);
  if (size > keyFileMostBytes) throw refusal(`${path} has ${size} bytes and is not a key`);
  const key = readKeyBytes(await readFile(path), path);
  if (!isContentId(contentId))
    throw refusal(
      `${path}: "${contentId}" cannot be the id of a content; accepted: 1 to 256 of A-Z a-z 0-9 _ -`,
    );
  return { contentId, epoch: readEpoch(epoch, path), key, place: path };
}

/** Folders and key files; `name` is without the ending. The order does not depend on the file system: 2 before 10. */
async function list(folder: string) {
  const entries = (await readdir(folder, { withFileTypes: true }))
    .map((entry) => ({ ...parse(entry.name), path: join(folder, entry.name), isFolder: entry.isDirectory() }))
    .sort((one, other) => one.base.localeCompare(other.base, 'en', { numeric: true }));
  const files = entries.filter(({ base, isFolder }) => !isFolder && !base.startsWith('.'));
  return {
    folders: entries.filter(({ isFolder }) => isFolder),
    files: files.filter(({ ext }) => endings.includes(ext.toLowerCase())),
  };
}
