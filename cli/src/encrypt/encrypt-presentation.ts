import { createCipheriv } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type KeyName, keyPath } from './content-key-source.ts';
import {
  checkContentId,
  checkKeyUrlBase,
  checkRotation,
  type EncryptOptions,
  type Summary,
} from './encrypt-options.ts';
import { loadPresentation } from './load-presentation.ts';
import type { SourceSlice } from './locate-media.ts';
import { openOutputFolder } from './output-folder.ts';
import { type PresentationPlan, planPresentation } from './plan-presentation.ts';
import { keyUrl } from './render-media-playlist.ts';

/**
 * Encrypts a clear HLS presentation on disk into a new folder: AES-128 over whole segments (RFC 8216 section 5.2).
 * The folder gets its name when it is complete. After a failure nothing is left.
 *
 * @throws AppError `VALIDATION_FAILED` for input or options that cannot be used, or what `options.keys` throws;
 * an error of the file system as Node gives it; the reason of `options.signal` once that is aborted
 */
export async function encryptPresentation(given: EncryptOptions): Promise<Summary> {
  checkContentId(given.contentId);
  checkRotation(given.rotateEverySegments);
  const options = { ...given, keyUrlBase: checkKeyUrlBase(given.keyUrlBase) };

  const presentation = await loadPresentation(options);
  const plan = await planPresentation(presentation, options);
  const warnings = [...presentation.warnings, ...plan.warnings];
  for (const warning of warnings) options.report?.warn?.(warning);
  const { randomBytes, clock, force = false } = options;
  const { path: playlistPath } = presentation;
  const output = await openOutputFolder(options.outFolder, { force, playlistPath, randomBytes, clock });
  try {
    // All keys before the first byte, so that a refused key costs no work.
    const keys = await fetchKeys(plan, options);
    const bytes = await writeFiles(plan, output.partialPath, keys, options);
    options.signal?.throwIfAborted();
    await output.commit();
    return summarize(plan, output.path, bytes, options, warnings);
  } catch (error) {
    await output.discard();
    // The signal's reason says more than the stream's "aborted".
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function fetchKeys(
  { contents, keys: names }: PresentationPlan,
  { keys, signal }: EncryptOptions,
): Promise<ReadonlyMap<string, Uint8Array>> {
  for (const content of contents) await keys.prepare(content, signal);
  const fetched = new Map<string, Uint8Array>();
  for (const name of names) {
    signal?.throwIfAborted();
    fetched.set(keyPath(name), await keys.get(name, signal));
  }
  return fetched;
}

async function writeFiles(
  { renditions, playlists }: PresentationPlan,
  folder: string,
  keys: ReadonlyMap<string, Uint8Array>,
  { report, signal, stamp }: EncryptOptions,
): Promise<number> {
  const keyOf = (name: KeyName): Uint8Array => {
    const key = keys.get(keyPath(name));
    if (!key) throw new Error(`no key was fetched for ${keyPath(name)}`);
    return key;
  };
  const files = renditions.flatMap(({ plan }) => plan.files);
  report?.start?.({ files: files.length, bytes: files.reduce((sum, file) => sum + file.source.length, 0) });
  let written = 0;
  for (const rendition of renditions) {
    await mkdir(join(folder, rendition.folder), { recursive: true });
    for (const { source, name, encryption } of rendition.plan.files) {
      signal?.throwIfAborted();
      const cipher = encryption && { key: keyOf(encryption.key), iv: encryption.iv };
      written += await writeMediaFile(source, join(folder, rendition.folder, name), cipher, signal);
      report?.fileDone?.(source.length);
    }
  }
  const texts = stamp ? [...playlists, stamp] : playlists;
  for (const { path, text } of texts) await writeFile(join(folder, path), text, { flag: 'wx' });
  return written;
}

function summarize(
  { renditions, playlists, keys, contents }: PresentationPlan,
  outFolder: string,
  bytes: number,
  { keyUrlBase }: EncryptOptions,
  warnings: readonly string[],
): Summary {
  const [root] = playlists;
  const media = renditions.map(({ plan }) => plan.rendition.playlist);
  const full = media.filter(({ iFramesOnly }) => !iFramesOnly);
  return {
    playlist: join(outFolder, root?.path ?? ''),
    outFolder,
    renditions: full.length,
    segments: full.reduce((sum, { segments }) => sum + segments.length, 0),
    iFramePlaylists: media.length - full.length,
    bytes,
    epochs: new Set(keys.flatMap(({ epoch }) => (epoch === undefined ? [] : [epoch]))).size,
    contentIds: contents.map(({ contentId }) => contentId),
    contents,
    keyUrls: keys.map((key) => keyUrl(key, keyUrlBase)),
    warnings,
  };
}

/**
 * Writes bytes of one file into a new one, either encrypted with AES-128-CBC and PKCS #7 padding over the whole (RFC 8216
 * section 5.2) or unchanged. It streams, so a file of any size takes little memory.
 *
 * @param encryption key and vector, 16 bytes each; undefined for a copy in the clear
 * @returns bytes written: when encrypted, the next multiple of 16 above `source.length`
 * @throws Error if the file cannot be read or written, exists already, or has become shorter
 */
async function writeMediaFile(
  source: SourceSlice,
  target: string,
  encryption: { readonly key: Uint8Array; readonly iv: Uint8Array } | undefined,
  signal?: AbortSignal,
): Promise<number> {
  const input = openSlice(source);
  const through = encryption
    ? createCipheriv('aes-128-cbc', encryption.key, encryption.iv)
    : new PassThrough();
  const output = createWriteStream(target, { flags: 'wx' });
  let readBytes = 0;
  input.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
  });
  try {
    await pipeline(input, through, output, signal ? { signal } : {});
  } catch (error) {
    // Node does not name the file of a failed write. The message should say which disk is full.
    if (error instanceof Error && 'errno' in error && !('path' in error))
      Object.assign(error, { path: target });
    throw error;
  }
  if (readBytes !== source.length) throw new Error(`${source.path} changed while it was being read`);
  return output.bytesWritten;
}

function openSlice({ path, offset, length }: SourceSlice): Readable {
  // createReadStream has no empty range, and a subtitle segment may be empty.
  if (length === 0) return Readable.from([]);
  return createReadStream(path, { start: offset, end: offset + length - 1, highWaterMark: readChunkBytes });
}

/** Four times Node's default: fewer trips through the cipher for segments of some megabytes. */
const readChunkBytes = 256 * 1024;
