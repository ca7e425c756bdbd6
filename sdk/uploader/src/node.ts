import { appendFile, type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { commonPorts } from './ports.ts';
import { putWithHttp } from './put-with-http.ts';
import { uploadFiles } from './upload-files.ts';
import { asRecord, type UploadMemory, type UploadRecord } from './upload-memory.ts';
import type { UploadBody, UploadFile, UploadOptions } from './upload-options.ts';
import type { UploadResult } from './upload-result.ts';

export { UploadError, type UploadErrorCode } from './upload-error.ts';
export type { UploadMemory, UploadRecord } from './upload-memory.ts';
export type { UploadBody, UploadCacheControl, UploadFile, UploadOptions } from './upload-options.ts';
export type { UploadProgress } from './upload-progress.ts';
export type { FileResult, FileStatus, UploadResult } from './upload-result.ts';

import { join, relative, sep } from 'node:path';
import { ReadableStream } from 'node:stream/web';

/**
 * Uploads files from Node over URLs that the key server presigns. Remembers nothing without a `memory`, such as
 * {@link createFileMemory}.
 *
 * @throws UploadError `INVALID_OPTIONS`; everything else is in the result
 */
export function upload(files: readonly UploadFile[], options: UploadOptions): Promise<UploadResult> {
  return uploadFiles(files, options, { ...commonPorts, put: putWithHttp });
}

/**
 * Remembers in a file: a line of JSON after each upload. A process that is killed loses at most the line that it was
 * writing.
 *
 * @param path of the file, which is made with the first record. Other lines stay unchanged
 */
export function createFileMemory(path: string): UploadMemory {
  let loaded: Promise<Map<string, UploadRecord>> | undefined;
  const load = () => {
    loaded ??= readRecords(path);
    return loaded;
  };
  return {
    get: async (place) => (await load()).get(place),
    async set(place, record) {
      (await load()).set(place, record);
      // The line break comes first, since the previous line may have been cut short.
      await appendFile(path, `\n${JSON.stringify({ place, ...record })}`);
    },
  };
}

async function readRecords(path: string): Promise<Map<string, UploadRecord>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const records = new Map<string, UploadRecord>();
  for (const line of text.split('\n')) {
    const value = parse(line);
    const record = asRecord(value);
    const place = (value as { place?: unknown } | undefined)?.place;
    if (record && typeof place === 'string') records.set(place, record);
  }
  return records;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Every file below a folder, sorted by its path in it. Names that begin with a dot are left out, and so are symbolic links,
 * which could publish files outside the folder.
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
 * A file on disk, opened when it is sent. Its fingerprint is the time of its last change. A file that changes before it has
 * been sent fails with `READ_FAILED`, and the store keeps nothing of it.
 *
 * @param path by which it is uploaded
 */
export async function openFile(filePath: string, path: string): Promise<UploadFile> {
  const { size, mtimeMs } = await stat(filePath);
  const data = () => ReadableStream.from(readUnchanged(filePath, { size, mtimeMs })) as UploadBody;
  return { path, size, data, fingerprint: `modified ${mtimeMs}` };
}

/** Bytes that are read at a time. */
const pieceBytes = 256 * 1024;

/** A file that has changed since it was picked differs in one of these. */
interface FileState {
  readonly size: number;
  /** Time of its last change. */
  readonly mtimeMs: number;
}

/**
 * Reads a file piece by piece, and fails if it has changed since it was picked or changes while it is read. The last piece
 * comes after another check. `openAsBlob` (Node 24) does not notice a file that is overwritten or grows.
 *
 * @throws Error that reports what changed
 */
async function* readUnchanged(filePath: string, picked: FileState): AsyncGenerator<Uint8Array> {
  const file = await open(filePath, 'r');
  try {
    const { ctimeMs } = await expectPicked(file, picked);
    for (let position = 0; position < picked.size; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, picked.size - position));
      const { bytesRead } = await file.read(piece, 0, piece.length, position);
      if (bytesRead === 0) throw new Error(`it has ${position} bytes now, not ${picked.size}`);
      position += bytesRead;
      if (position === picked.size) {
        const now = await expectPicked(file, picked);
        // Tools that set mtime back cannot set ctime.
        if (now.ctimeMs !== ctimeMs) throw new Error('it was changed while it was sent');
      }
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function expectPicked(file: FileHandle, picked: FileState): Promise<{ ctimeMs: number }> {
  const { size, mtimeMs, ctimeMs } = await file.stat();
  if (size !== picked.size) throw new Error(`it has ${size} bytes now, not ${picked.size}`);
  if (mtimeMs !== picked.mtimeMs) throw new Error('it was changed since it was picked');
  return { ctimeMs };
}
