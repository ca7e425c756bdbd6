import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isContentId } from '@latchkey/shared/contracts';
import { refusal } from '../refusal.ts';
import { type FoundKey, readEpoch, readKeyBytes } from './imported-key.ts';

/** What key files are usually called. */
const endings = ['.key', '.bin'];
/** 32 digits and an end of line. Larger files are no keys, and are not read. */
const mostBytes = 64;

/**
 * The keys of a folder: `film.key` is the key of the content `film`, `film/7.key` that of its epoch 7.
 *
 * @param contentId of all files, which are then called by their epochs; undefined for the form above
 * @throws AppError `VALIDATION_FAILED`
 */
export async function readKeyFolder(folder: string, contentId: string | undefined): Promise<FoundKey[]> {
  const keys: FoundKey[] = [];
  for (const { name, isFolder } of await listFolder(folder)) {
    const path = join(folder, name);
    if (isFolder && contentId === undefined) {
      for (const inner of await listFolder(path))
        if (!inner.isFolder) keys.push(...(await readEpochFile(path, inner.name, name)));
    } else if (!isFolder && contentId !== undefined)
      keys.push(...(await readEpochFile(folder, name, contentId)));
    else if (!isFolder && isKeyFile(name)) {
      const id = basename(name, extname(name));
      keys.push({
        contentId: checkId(id, path),
        epoch: undefined,
        key: await readKeyFile(path),
        place: path,
      });
    }
  }
  if (keys.length === 0)
    throw refusal(`${folder} has no key file; accepted: <content>.key and <content>/<epoch>.key, or .bin`);
  return keys;
}

async function readEpochFile(folder: string, name: string, contentId: string): Promise<FoundKey[]> {
  if (!isKeyFile(name)) return [];
  const path = join(folder, name);
  const epoch = readEpoch(basename(name, extname(name)), path);
  return [{ contentId: checkId(contentId, folder), epoch, key: await readKeyFile(path), place: path }];
}

const isKeyFile = (name: string) => endings.includes(extname(name).toLowerCase()) && !name.startsWith('.');

function checkId(id: string, place: string): string {
  if (isContentId(id)) return id;
  throw refusal(`${place}: "${id}" cannot be the id of a content; accepted: 1 to 256 of A-Z a-z 0-9 _ -`);
}

async function readKeyFile(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > mostBytes) throw refusal(`${path} has ${size} bytes and is not a key`);
  return readKeyBytes(await readFile(path), path);
}

/** In an order that does not depend on the file system: 2 before 10. */
async function listFolder(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const listed = entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  return listed.sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}
