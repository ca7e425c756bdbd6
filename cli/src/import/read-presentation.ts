import { basename } from 'node:path';
import { keyPath } from '../encrypt/content-key-source.ts';
import { parseMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { classifyPlaylist, playlistError, splitPlaylist } from '../hls/playlist-lines.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { isUrl, playlistMostBytes, segmentMostBytes } from '../source/request-source.ts';
import { workOff } from '../work-off.ts';
import {
  assertWholeBlocks,
  type EncryptedPlaylist,
  type EncryptedSegment,
  type KeyTag,
  proveKey,
  readEncryptedPlaylist,
  rewriteKeys,
} from './encrypted-playlist.ts';
import { type FoundKey, keyFileMostBytes, readKeyBytes } from './imported-key.ts';
import { isDataUrl, type SourceFiles } from './source-files.ts';

/** Segments of a key that are looked for, where the first ones are gone. */
const segmentsTried = 3;
/** Key files that are read at once: a source may sign a URL for each segment. */
const readAtOnce = 8;

/** An encrypted presentation, whose keys are proved. */
export type ImportedPresentation = Awaited<ReturnType<typeof readPresentation>>;

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
export async function readPresentation(location: string, contentId: string, files: SourceFiles) {
  const playlists = await loadPlaylists(location, files);
  const { named, keyOf, warnings } = await findKeys(playlists, files);
  const epochs = new Map(named.map((key, index) => [key, named.length === 1 ? undefined : index]));
  const nameOf = (key: NamedKey) => ({ contentId, epoch: epochs.get(key) });
  const proofs: string[] = [];
  for (const key of named) proofs.push(await prove(key, files, warnings));
  const keys: FoundKey[] = named.map((key) => {
    return { ...nameOf(key), key: key.key, place: showUrl(key.location) };
  });
  return {
    keys,
    /** The media that each key decrypted, for the report. */
    proofs,
    /** One sentence each. */
    warnings,
    /** The playlists with the new URIs of the keys. @param keyUrlBase what stands before `/keys/` */
    rewrite: (keyUrlBase: string) =>
      playlists.map((playlist) => ({
        location: playlist.location,
        text: rewriteKeys(playlist, (tag) => {
          const key = keyOf(tag);
          return key && `${keyUrlBase}${keyPath(nameOf(key))}`;
        }),
      })),
  };
}

/** @returns the keys in the order in which segments use them */
async function findKeys(playlists: readonly LocatedPlaylist[], files: SourceFiles) {
  const places = new Map<KeyTag, string>();
  for (const { base, keys } of playlists)
    for (const tag of keys) places.set(tag, await files.resolve(tag.uri, base, tag.place));
  const segmentsOf = ({ base, segments }: LocatedPlaylist) => segments.map((segment) => ({ segment, base }));
  const used = Map.groupBy(playlists.flatMap(segmentsOf), ({ segment }) => places.get(segment.key) ?? '');
  /** In hex, by location. */
  const found = new Map<string, string>();
  const read = async (at: string) => {
    const { bytes } = await files.read(at, { mostBytes: keyFileMostBytes });
    found.set(at, readKeyBytes(bytes, showUrl(at)).toString('hex'));
  };
  await workOff([...used.keys()], readAtOnce, read);
  const byBytes = new Map<string, NamedKey>();
  for (const [location, segments] of used) {
    const hex = found.get(location) ?? '';
    const named = byBytes.get(hex) ?? { key: Buffer.from(hex, 'hex'), location, segments: [] };
    const whole = segments.filter(({ segment }) => segment.isWhole);
    named.segments.push(...whole.slice(0, segmentsTried - named.segments.length));
    byBytes.set(hex, named);
  }
  const warnings: string[] = [];
  if ([...used.keys()].some(isDataUrl))
    warnings.push(
      'the playlists have the key itself in them (data:), so everyone who has one can decrypt the media. Publish no old one, and no .before-import',
    );
  for (const at of places.values()) {
    // A key that no segment uses by this URL, such as a session key with a signature of its own, must not stop the others.
    if (!found.has(at))
      await read(at).catch((error: Error) =>
        warnings.push(`a key that no segment uses stays as it is: ${error.message}`),
      );
  }
  const keyOf = (tag: KeyTag) => byBytes.get(found.get(places.get(tag) ?? '') ?? '');
  return { named: [...byBytes.values()], keyOf, warnings };
}

/** @returns what was decrypted. @throws AppError `VALIDATION_FAILED` */
async function prove(
  { location, key, segments }: NamedKey,
  files: SourceFiles,
  warnings: string[],
): Promise<string> {
  const reasons: string[] = [];
  for (const { segment, base } of segments) {
    const { uri, byteRange, place } = segment.segment;
    const read = async () => {
      const at = await files.resolve(uri, base, place);
      const { bytes } = await files.read(at, { mostBytes: segmentMostBytes, range: byteRange });
      if (bytes.length === 0) throw refusal(`${showUrl(at)} is empty`);
      return { at, bytes };
    };
    const found = await read().catch((error: Error) => void reasons.push(error.message));
    if (!found) continue;
    const { at, bytes } = found;
    assertWholeBlocks(segment.segment, bytes.length);
    const proof = proveKey(bytes, key, segment.iv);
    if (!proof)
      throw playlistError(
        place,
        `${showUrl(location)} is not the key of "${showUrl(uri)}": what it decrypts is not media. Nothing was stored`,
      );
    if (!proof.isPadded)
      warnings.push(
        `${place.playlist}:${place.line}: "${showUrl(uri)}" has no padding at its end, which RFC 8216 demands. Its key is right, and is imported, but some players refuse such segments or cut their ends. Encrypt the presentation again to mend that`,
      );
    return `${showUrl(location)} decrypts ${showUrl(at)}: ${proof.media}`;
  }
  throw refusal(
    `${showUrl(location)} could not be proved, because none of its segments can be read: ${reasons.join('; ')}`,
  );
}

/** A playlist with its location. */
interface LocatedPlaylist extends EncryptedPlaylist {
  /** Its absolute path, or the URL by which it is named. */
  readonly location: string;
  /** The absolute path or URL to which its references are relative: the one that a redirect led to. */
  readonly base: string;
}

/**
 * Reads a presentation: the given playlist and, if it is a multivariant one, the playlists that it names.
 *
 * @param location absolute path or URL
 * @throws AppError `VALIDATION_FAILED`
 */
async function loadPlaylists(location: string, files: SourceFiles): Promise<LocatedPlaylist[]> {
  const { text, base } = await read(location, files);
  const kind = classifyPlaylist(text);
  // A redirect moves the whole presentation, so the files that the first playlist names lie next to the target.
  const playlists: LocatedPlaylist[] = [{ ...readEncryptedPlaylist(text, kind), location: base, base }];
  const seen = new Set<string>();
  for (const { uri, place } of kind === 'media' ? [] : parseMultivariantPlaylist(text).named) {
    const at = await files.resolve(uri, base, place);
    if (seen.has(at)) continue;
    seen.add(at);
    const media = await read(at, files);
    if (classifyPlaylist(media.text) !== 'media')
      throw playlistError(place, `"${showUrl(uri)}" is not a media playlist`);
    playlists.push({ ...readEncryptedPlaylist(media.text, 'media'), location: at, base: media.base });
  }
  if (playlists.some(({ segments }) => segments.length > 0)) return playlists;
  throw refusal(
    `${showUrl(location)} is not encrypted: no segment of it has an EXT-X-KEY with METHOD=AES-128`,
  );
}

async function read(location: string, files: SourceFiles) {
  const { bytes, location: base } = await files.read(location, { mostBytes: playlistMostBytes });
  return { text: splitPlaylist(isUrl(location) ? showUrl(location) : basename(location), bytes), base };
}
