import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ReadableStream } from 'node:stream/web';
import { readUnchanged } from './read-unchanged.ts';
import type { UploadBody, UploadFile } from './upload-options.ts';

/**
 * Every file below a folder, by its path in it, sorted. Names that begin with a dot are left out, and so are symbolic
 * links: what lies outside of the folder is not published.
 */
export async function openFolder(folder: string): Promise<UploadFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)\./.test(path))
    .sort();
  return Promise.all(paths.map((path) => openFile(join(folder, path), path)));
}

/**
 * A file on disk. It is opened when it is sent; its fingerprint is the time of its last change. One that changes before it has
 * been sent fails with `READ_FAILED`, and the store keeps nothing of it.
 *
 * @param path by which it is uploaded
 */
export async function openFile(filePath: string, path: string): Promise<UploadFile> {
  const { size, mtimeMs } = await stat(filePath);
  const data = () => ReadableStream.from(readUnchanged(filePath, { size, mtimeMs })) as UploadBody;
  return { path, size, data, fingerprint: `modified ${mtimeMs}` };
}
