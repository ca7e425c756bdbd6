import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  type ContentKeySource,
  type KeyName,
  keyPath,
  type WrittenContent,
} from '../encrypt/content-key-source.ts';
import type { EncryptOptions } from '../encrypt/encrypt-options.ts';
import { loadPresentation } from '../encrypt/load-presentation.ts';
import { planPresentation } from '../encrypt/plan-presentation.ts';

/**
 * A file in the folder of the presentation. Its first line records what was encrypted, the others what was uploaded. It is
 * replaced with the folder, so a new encryption counts as not uploaded. A name that begins with a dot is never uploaded.
 */
const recordName = '.latchkey-upload';

/** The origin of a presentation as hashes. It holds no secret. */
interface Origin {
  /** Of the source and the options. */
  readonly encryptedFrom: string;
  /** Of the content keys. */
  readonly withKeys: string;
}

/** The record of a folder that is being encrypted. */
export function startRecord({ encryptedFrom, withKeys }: Origin): { path: string; text: string } {
  return { path: recordName, text: JSON.stringify({ encryptedFrom, withKeys }) };
}

export function recordPath(folder: string): string {
  return join(folder, recordName);
}

/**
 * Compares a folder with what an encryption would give now. `other keys`: source and options are the same, but the folder
 * needs keys that are no longer served. A folder appears only when it is complete, so `same` is complete too.
 */
export async function compareOrigin(
  folder: string,
  { encryptedFrom, withKeys }: Origin,
): Promise<'same' | 'other keys' | 'other'> {
  const text = await readFile(recordPath(folder), 'utf8').catch(() => '');
  const before = readOrigin(text.split('\n', 1)[0] ?? '');
  if (before?.encryptedFrom !== encryptedFrom) return 'other';
  return before.withKeys === withKeys ? 'same' : 'other keys';
}

/** @returns null for any other text: the folder was not made here */
function readOrigin(line: string): Partial<Origin> | null {
  try {
    return JSON.parse(line) as Partial<Origin> | null;
  } catch {
    return null;
  }
}

/** Version of the output's form, so that a folder of another form is not continued. */
const outputForm = 3;

interface FirstKey extends WrittenContent {
  readonly firstKey: KeyName;
}

/**
 * Describes an encryption before it is done. The same fingerprint and the same keys give presentations that play the same.
 * Media counts by size and time of last change, playlists by their text.
 *
 * @param keySource says where keys come from
 * @returns the fingerprint of the source and the options, without the keys: 64 hex digits. Each content with the first of its keys, in the
 *   order of their use
 * @throws AppError `VALIDATION_FAILED` for input that cannot be encrypted
 */
export async function describeWork(options: EncryptOptions, keySource: string) {
  const presentation = await loadPresentation(options);
  const { renditions, keys, contents } = await planPresentation(presentation, options);
  const { contentId, keyUrlBase, rotateEverySegments, perRenditionIds, plainNames } = options;
  const hash = createHash('sha256');
  const add = (...parts: unknown[]) => hash.update(`${JSON.stringify(parts)}\n`);
  add(outputForm, keySource, contentId, keyUrlBase);
  add(rotateEverySegments ?? null, perRenditionIds ?? false, plainNames ?? false);
  const playlists = [presentation.path, ...presentation.renditions.map(({ path }) => path)];
  // A download has another folder each time.
  const nameOf = (path: string) => relative(dirname(presentation.path), path);
  for (const path of new Set(playlists)) add(nameOf(path), await readFile(path, 'utf8'));
  for (const path of new Set(renditions.flatMap(({ files }) => files.map(({ source }) => source.path)))) {
    const { size, mtimeMs } = await stat(path);
    add(nameOf(path), size, mtimeMs);
  }
  const withFirstKeys = contents.flatMap((content): FirstKey[] => {
    const firstKey = keys.find(({ contentId: id }) => id === content.contentId);
    return firstKey ? [{ ...content, firstKey }] : [];
  });
  return { fingerprint: hash.digest('hex'), contents: withFirstKeys };
}

/** Separates this hash from any other use of SHA-256 over a key. */
const label = 'latchkey content key fingerprint';

/**
 * A one-way hash that differs between master keys. It may be stored: a content key has 128 random bits, so nobody can find
 * it by trying keys until the hash fits.
 *
 * One key of each content id is enough: all epochs of a content id come from one version of one master key.
 *
 * @returns 64 hex digits
 * @throws AppError where a key cannot be had
 */
export async function fingerprintKeys(
  contents: readonly FirstKey[],
  source: ContentKeySource,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  for (const content of contents) {
    await source.prepare(content, signal);
    const name = content.firstKey;
    hash.update(`${JSON.stringify([label, keyPath(name)])}\n`).update(await source.get(name, signal));
  }
  return hash.digest('hex');
}
