import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isContentId } from '@latchkey/shared/contracts';
import { refusal } from '../refusal.ts';
import { type FoundKey, keyFileMostBytes, readEpoch, readKeyBytes } from './imported-key.ts';

/** What key files are usually called. */
const endings = ['.key', '.bin'];

/**
 * The keys of a folder: `film.key` is the key of the content `film`, `film/7.key` that of its epoch 7. `live/camera-7.key`, as SRS calls it, is
 * that of epoch 7 of the content `camera`.
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
  for (const { name, isFolder } of await listFolder(folder)) {
    const path = join(folder, name);
    if (isFolder) {
      for (const file of await listEpochs(path)) keys.push(await readEpochFile(file, file.stream ?? name));
    } else if (isKeyFile(name)) {
      const contentId = checkId(withoutEnding(name), path);
      keys.push({ contentId, epoch: undefined, key: await readKeyFile(path), place: path });
    }
  }
  return keys;
}

async function readContent(folder: string, contentId: string): Promise<FoundKey[]> {
  const files = await listEpochs(folder);
  const [first, other] = [...new Set(files.map(({ stream }) => stream ?? 'without a name'))];
  if (other !== undefined)
    throw refusal(
      `${folder} has keys of several streams (${first}, ${other}); import the folder above it without --content-id: each stream becomes a content`,
    );
  const keys: FoundKey[] = [];
  for (const file of files) keys.push(await readEpochFile(file, contentId));
  return keys;
}

interface EpochFile {
  readonly path: string;
  /** `camera` of `camera-7.key`; undefined for `7.key`. */
  readonly stream: string | undefined;
  readonly epoch: string;
}

async function listEpochs(folder: string): Promise<EpochFile[]> {
  const files = (await listFolder(folder)).filter(({ name, isFolder }) => !isFolder && isKeyFile(name));
  return files.map(({ name }) => {
    const epoch = withoutEnding(name);
    const path = join(folder, name);
    const dash = epoch.lastIndexOf('-');
    if (dash < 1) return { path, stream: undefined, epoch };
    return { path, stream: epoch.slice(0, dash), epoch: epoch.slice(dash + 1) };
  });
}

async function readEpochFile({ path, epoch }: EpochFile, contentId: string): Promise<FoundKey> {
  const key = await readKeyFile(path);
  return { contentId: checkId(contentId, path), epoch: readEpoch(epoch, path), key, place: path };
}

const withoutEnding = (name: string) => basename(name, extname(name));

const isKeyFile = (name: string) => endings.includes(extname(name).toLowerCase()) && !name.startsWith('.');

function checkId(id: string, place: string): string {
  if (isContentId(id)) return id;
  throw refusal(`${place}: "${id}" cannot be the id of a content; accepted: 1 to 256 of A-Z a-z 0-9 _ -`);
}

async function readKeyFile(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > keyFileMostBytes) throw refusal(`${path} has ${size} bytes and is not a key`);
  return readKeyBytes(await readFile(path), path);
}

/** In an order that does not depend on the file system: 2 before 10. */
async function listFolder(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const listed = entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  return listed.sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}
