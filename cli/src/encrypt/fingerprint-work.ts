import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { KeyName } from './content-key-source.ts';
import type { EncryptOptions } from './encrypt-options.ts';
import { loadPresentation } from './load-presentation.ts';
import { locateSource } from './locate-source.ts';
import { planPresentation } from './plan-presentation.ts';

/**
 * Counts the forms of what is written, so that a folder of another form is not continued: 2 has initialization sections
 * in the clear, I-frame playlists, and numbers that follow EXT-X-MEDIA-SEQUENCE. 1 had no number here.
 */
const outputForm = 2;

/** What an encryption would be made of. */
export interface WorkDescription {
  /** Of the source and the options, 64 hex digits. The keys themselves are no part of it. */
  readonly fingerprint: string;
  /** The first key of each content id, in the order of their use. */
  readonly firstKeys: readonly KeyName[];
}

/**
 * Describes an encryption before it is done: two with the same fingerprint, and with the same keys, give presentations
 * that play the same. Media counts by size and time of last change, playlists by their text.
 *
 * @param keySource says where keys come from
 * @throws AppError `VALIDATION_FAILED` for input that cannot be encrypted
 */
export async function describeWork(options: EncryptOptions, keySource: string): Promise<WorkDescription> {
  const { playlistPath, sourceRoot } = await locateSource(options);
  const presentation = await loadPresentation(playlistPath, sourceRoot);
  const { renditions, keys } = await planPresentation(presentation, playlistPath, sourceRoot, options);
  const { contentId, keyUrlBase, rotateEverySegments, perRenditionIds } = options;
  const hash = createHash('sha256');
  const add = (...parts: unknown[]) => hash.update(`${JSON.stringify(parts)}\n`);
  add(outputForm, keySource, contentId, keyUrlBase, rotateEverySegments ?? null, perRenditionIds ?? false);
  for (const path of new Set([playlistPath, ...presentation.renditions.map((rendition) => rendition.path)])) {
    add(path, await readFile(path, 'utf8'));
  }
  for (const path of new Set(renditions.flatMap(({ plan }) => plan.files.map(({ source }) => source.path)))) {
    const { size, mtimeMs } = await stat(path);
    add(path, size, mtimeMs);
  }
  return { fingerprint: hash.digest('hex'), firstKeys: firstOfEachContent(keys) };
}

function firstOfEachContent(keys: readonly KeyName[]): KeyName[] {
  const first = new Map<string, KeyName>();
  for (const key of keys) if (!first.has(key.contentId)) first.set(key.contentId, key);
  return [...first.values()];
}
