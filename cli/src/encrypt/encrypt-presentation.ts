import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import { refusal } from '../refusal.ts';
import { type KeyName, keyPath } from './content-key-source.ts';
import type { EncryptOptions, Summary } from './encrypt-options.ts';
import { loadPresentation } from './load-presentation.ts';
import type { MediaFileJob } from './media-file.ts';
import { writeMediaFiles } from './media-threads.ts';
import { fillOutputFolder } from './output-folder.ts';
import { type PresentationPlan, planPresentation } from './plan-presentation.ts';
import type { PlannedFile } from './plan-rendition.ts';
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
  const every = given.rotateEverySegments ?? 1;
  if (!Number.isSafeInteger(every) || every < 1)
    throw refusal(`--rotate-every ${every}; accepted: a whole number of segments, 1 or more`);
  const options = { ...given, keyUrlBase: checkBaseUrl(given.keyUrlBase, '--key-url') };

  const presentation = await loadPresentation(options);
  const plan = await planPresentation(presentation, options);
  const warnings = [...presentation.warnings, ...plan.warnings];
  for (const warning of warnings) options.report?.warn?.(warning);
  const conditions = { ...options, playlistPath: presentation.path };
  const { path, result } = await fillOutputFolder(options.outFolder, conditions, async (folder) => {
    // All keys before the first byte, so that a refused key costs no work.
    const keys = await fetchKeys(plan, options);
    return writeFiles(plan, folder, keys, options);
  });
  return summarize(plan, path, result, options, warnings);
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
  { plainNames = false, report, signal, stamp }: EncryptOptions,
): Promise<number> {
  const keyOf = (name: KeyName): Uint8Array => {
    const key = keys.get(keyPath(name));
    if (!key) throw new Error(`no key was fetched for ${keyPath(name)}`);
    return key;
  };
  const jobs: MediaFileJob[] = [];
  const files: PlannedFile[] = [];
  for (const rendition of renditions) {
    const target = join(folder, rendition.folder);
    await mkdir(target, { recursive: true });
    for (const file of rendition.plan.files) {
      const { source, name, encryption } = file;
      const cipher = encryption && { key: keyOf(encryption.key), iv: encryption.iv };
      jobs.push({ source, target: join(target, name), isHashed: !plainNames, encryption: cipher });
      files.push(file);
    }
  }
  report?.start?.({ files: jobs.length, bytes: jobs.reduce((sum, { source }) => sum + source.length, 0) });
  const fileDone = (bytes: number) => report?.fileDone?.(bytes);
  const written = await writeMediaFiles(jobs, { fileDone, signal });
  const pathOf = new Map(written.map(({ path }, index) => [files[index], path]));
  const nameOf = (file: PlannedFile) => basename(pathOf.get(file) ?? file.name);
  const texts = playlists.map(({ path, render }) => ({ path, text: render(nameOf) }));
  if (stamp) texts.push(stamp);
  for (const { path, text } of texts) await writeFile(join(folder, path), text, { flag: 'wx' });
  return written.reduce((sum, { bytes }) => sum + bytes, 0);
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
