import { keyPath } from '../encrypt/content-key-source.ts';
import { playlistError } from '../hls/playlist-error.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { workOff } from '../work-off.ts';
import { assertWholeBlocks, type EncryptedSegment, type KeyTag, rewriteKeys } from './encrypted-playlist.ts';
import { type FoundKey, keyFileMostBytes, readKeyBytes } from './imported-key.ts';
import { type LocatedPlaylist, loadPlaylists } from './load-playlists.ts';
import { proveKey } from './prove-key.ts';
import { isDataUrl, type SourceFiles } from './source-files.ts';

/** A segment of 10 s at 100 Mbit/s has half of this. */
const segmentMostBytes = 256 * 1024 * 1024;
/** Segments of a key that are looked for, where the first ones are gone. */
const segmentsTried = 3;
/** Key files that are read at once: a source may sign a URL for each segment. */
const readAtOnce = 8;

/** An encrypted presentation, whose keys are proved. */
export interface ImportedPresentation {
  readonly keys: readonly FoundKey[];
  /** What each key decrypted, for the report. */
  readonly proofs: readonly string[];
  /** One sentence each. */
  readonly warnings: readonly string[];
  /**
   * The playlists with the new URIs of the keys.
   *
   * @param keyUrlBase what stands before `/keys/`
   */
  rewrite(keyUrlBase: string): { location: string; text: string }[];
}

/** A key that segments are encrypted with. */
interface NamedKey {
  readonly key: Buffer;
  /** Where it was found first. */
  readonly location: string;
  readonly segments: { segment: EncryptedSegment; base: string }[];
}

/**
 * Reads a presentation, its keys, and a segment of each. The keys become epochs in the order in which the playlists name them; a single one
 * is the key without an epoch. So the same presentation gets the same epochs when it is imported again. A key is known by its bytes: a source may
 * sign each of its URLs anew.
 *
 * @param location absolute path or URL of its playlist
 * @throws AppError `VALIDATION_FAILED` if anything of it cannot be read, or if a key does not decrypt its segment: then nothing is stored
 */
export async function readPresentation(
  location: string,
  contentId: string,
  files: SourceFiles,
): Promise<ImportedPresentation> {
  const playlists = await loadPlaylists(location, files);
  const { named, ofTag, warnings } = await findKeys(playlists, files);
  const epochs = new Map(named.map((key, index) => [key, named.length === 1 ? undefined : index]));
  const nameOf = (key: NamedKey) => ({ contentId, epoch: epochs.get(key) });
  const proofs: string[] = [];
  for (const key of named) proofs.push(await prove(key, files, warnings));
  return {
    keys: named.map((key) => ({ ...nameOf(key), key: key.key, place: showUrl(key.location) })),
    proofs,
    warnings,
    rewrite: (keyUrlBase) =>
      playlists.map((playlist) => ({
        location: playlist.location,
        text: rewriteKeys(playlist, (tag) => {
          const key = ofTag.get(tag);
          return key && `${keyUrlBase}${keyPath(nameOf(key))}`;
        }),
      })),
  };
}

interface FoundKeys {
  /** In the order in which segments use them. */
  readonly named: readonly NamedKey[];
  readonly ofTag: ReadonlyMap<KeyTag, NamedKey>;
  readonly warnings: string[];
}

async function findKeys(playlists: readonly LocatedPlaylist[], files: SourceFiles): Promise<FoundKeys> {
  const places = new Map<KeyTag, string>();
  for (const { base, keys } of playlists)
    for (const tag of keys) places.set(tag, await files.resolve(tag.uri, base, tag.place));
  const used = groupSegments(playlists, places);
  const bytes = new Map<string, Buffer>();
  const read = async (at: string) =>
    void bytes.set(
      at,
      readKeyBytes((await files.read(at, { mostBytes: keyFileMostBytes })).bytes, showUrl(at)),
    );
  await workOff([...used.keys()], readAtOnce, read);
  const byBytes = new Map<string, NamedKey>();
  for (const [location, segments] of used) {
    const key = bytes.get(location) ?? Buffer.alloc(0);
    const named = byBytes.get(key.toString('hex')) ?? { key, location, segments: [] };
    named.segments.push(...segments.slice(0, segmentsTried - named.segments.length));
    byBytes.set(key.toString('hex'), named);
  }
  const ofTag = new Map<KeyTag, NamedKey>();
  const warnings: string[] = [];
  if ([...used.keys()].some(isDataUrl))
    warnings.push(
      'the playlists have the key itself in them (data:), so everyone who has one can decrypt the media. Publish no old one, and no .before-import',
    );
  for (const [tag, at] of places) {
    // A key that no segment uses by this URL, such as a session key with a signature of its own, must not stop the others.
    if (!bytes.has(at))
      await read(at).catch((error: Error) =>
        warnings.push(`a key that no segment uses stays as it is: ${error.message}`),
      );
    const named = byBytes.get(bytes.get(at)?.toString('hex') ?? '');
    if (named) ofTag.set(tag, named);
  }
  return { named: [...byBytes.values()], ofTag, warnings };
}

/** The first segments that the key at each place encrypts. */
function groupSegments(
  playlists: readonly LocatedPlaylist[],
  places: ReadonlyMap<KeyTag, string>,
): Map<string, NamedKey['segments']> {
  const used = new Map<string, NamedKey['segments']>();
  for (const { base, segments } of playlists)
    for (const segment of segments) {
      const at = places.get(segment.key) ?? '';
      const before = used.get(at) ?? [];
      if (segment.isWhole && before.length < segmentsTried) before.push({ segment, base });
      used.set(at, before);
    }
  return used;
}

/** @returns what was decrypted. @throws AppError `VALIDATION_FAILED` */
async function prove(
  { location, key, segments }: NamedKey,
  files: SourceFiles,
  warnings: string[],
): Promise<string> {
  const reasons: string[] = [];
  for (const { segment, base } of segments) {
    const { uri, byteRange, line } = segment.segment;
    const place = { playlist: segment.key.place.playlist, line };
    const at = await files
      .resolve(uri, base, place)
      .catch((error: Error) => void reasons.push(error.message));
    if (at === undefined) continue;
    const file = await files
      .read(at, { mostBytes: segmentMostBytes, range: byteRange })
      .catch((error: Error) => void reasons.push(error.message));
    if (file?.bytes.length === 0) reasons.push(`${showUrl(at)} is empty`);
    if (!file?.bytes.length) continue;
    const { bytes } = file;
    assertWholeBlocks(segment.segment, bytes.length, place.playlist);
    const proof = proveKey(bytes, key, segment.iv);
    if (!proof)
      throw playlistError(
        place,
        `${showUrl(location)} is not the key of "${showUrl(uri)}": what it decrypts is not media. Nothing was stored`,
      );
    if (!proof.isPadded)
      warnings.push(
        `${place.playlist}:${line}: "${showUrl(uri)}" has no padding at its end, which RFC 8216 demands. Its key is right, and is imported, but some players refuse such segments or cut their ends. Encrypt the presentation again to mend that`,
      );
    return `${showUrl(location)} decrypts ${showUrl(at)}: ${proof.media}`;
  }
  throw refusal(
    `${showUrl(location)} could not be proved, because none of its segments can be read: ${reasons.join('; ')}`,
  );
}
