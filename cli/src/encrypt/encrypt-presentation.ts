import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import { refusal } from '../refusal.ts';
import { askOnce } from './content-key-source.ts';
import type { EncryptOptions, Summary } from './encrypt-options.ts';
import { loadPresentation } from './load-presentation.ts';
import type { MediaFileJob } from './media-file.ts';
import { writeMediaFiles } from './media-threads.ts';
import { fillOutputFolder } from './output-folder.ts';
import { type PresentationPlan, planPresentation, renderPlaylists } from './plan-presentation.ts';
import { keyUrl } from './render-media-playlist.ts';
import { rootPlaylistName } from './target-names.ts';

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
  const keyUrlBase = checkBaseUrl(given.keyUrlBase, '--key-url');
  const options = { ...given, keyUrlBase, keys: askOnce(given.keys) };

  const presentation = await loadPresentation(options);
  const plan = await planPresentation(presentation, options);
  const warnings = [...presentation.warnings, ...plan.warnings];
  for (const warning of warnings) options.report?.warn?.(warning);
  const conditions = { ...options, playlistPath: presentation.path };
  const { path, result } = await fillOutputFolder(options.outFolder, conditions, async (folder) => {
    // All keys before the first byte, so that a refused key costs no work.
    for (const content of plan.contents) await options.keys.prepare(content, options.signal);
    for (const key of plan.keys) {
      options.signal?.throwIfAborted();
      await options.keys.get(key, options.signal);
    }
    const bytes = await writeMedia(plan, folder, options);
    const texts = renderPlaylists(presentation, plan.renditions, keyUrlBase);
    if (options.stamp) texts.push(options.stamp);
    for (const { path, text } of texts) await writeFile(join(folder, path), text, { flag: 'wx' });
    return bytes;
  });
  const playlist = join(path, rootPlaylistName(presentation.path));
  return { playlist, outFolder: path, bytes: result, warnings, ...count(plan, keyUrlBase) };
}

/** @returns bytes written */
async function writeMedia(
  { renditions }: PresentationPlan,
  folder: string,
  { keys, plainNames = false, report, signal }: EncryptOptions,
): Promise<number> {
  const jobs: MediaFileJob[] = [];
  for (const { rendition, files } of renditions) {
    const target = join(folder, rendition.folder);
    await mkdir(target, { recursive: true });
    for (const { source, name, encryption } of files) {
      const cipher = encryption && { ...encryption, key: await keys.get(encryption.key, signal) };
      jobs.push({ source, target: join(target, name), isHashed: !plainNames, encryption: cipher });
    }
  }
  report?.start?.({ files: jobs.length, bytes: jobs.reduce((sum, { source }) => sum + source.length, 0) });
  const fileDone = (bytes: number) => report?.fileDone?.(bytes);
  const written = await writeMediaFiles(jobs, { fileDone, signal });
  for (const [index, file] of renditions.flatMap(({ files }) => files).entries())
    file.name = basename(written[index]?.path ?? file.name);
  return written.reduce((sum, { bytes }) => sum + bytes, 0);
}

function count({ renditions, keys, contents }: PresentationPlan, keyUrlBase: string) {
  const media = renditions.map(({ rendition }) => rendition.playlist);
  const full = media.filter(({ iFramesOnly }) => !iFramesOnly);
  return {
    renditions: full.length,
    segments: full.reduce((sum, { segments }) => sum + segments.length, 0),
    iFramePlaylists: media.length - full.length,
    epochs: new Set(keys.flatMap(({ epoch }) => (epoch === undefined ? [] : [epoch]))).size,
    contentIds: contents.map(({ contentId }) => contentId),
    contents,
    keyUrls: keys.map((key) => keyUrl(key, keyUrlBase)),
  };
}
