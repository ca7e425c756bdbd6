import { readdir, readFile, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { isContentId } from '@latchkey/shared/contracts';
import { refusal } from '../refusal.ts';
import { type FoundKey, keyFileMostBytes, readEpoch, readKeyBytes } from './imported-key.ts';

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
