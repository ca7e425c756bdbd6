import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { currentEpochOf } from '@latchkey/shared/contracts';
import { createRenditionNamer, mediaPlaylistName, rootPlaylistName } from '../encrypt/target-names.ts';
import { renderMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { withoutQuery } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { writeAtomically } from '../write-file.ts';
import type { LiveTools } from './encrypt-segment.ts';
import { openFollower } from './follow-rendition.ts';
import type { Follower, PublishedRendition } from './follower.ts';
import {
  type Channel,
  type ChannelLookup,
  createChannelLookup,
  type FoundRendition,
  loadChannel,
} from './load-channel.ts';
import { type DescribedRendition, matchRenditions } from './match-renditions.ts';

export interface LiveReport {
  /** @param text one sentence that an operator must know */
  warn(text: string): void;
  /** @param text one sentence about what goes on */
  say(text: string): void;
  /** A playlist was written. @param files paths that it names, relative to the output folder as `path` is */
  published?(path: string, text: string, files: readonly string[]): void;
}

/**
 * Opens the renditions of a channel, and writes its multivariant playlist once each of them has a playlist.
 *
 * @param address of the playlist that was given. It is waited for
 * @throws AppError `VALIDATION_FAILED` for a source or an output folder that cannot be used
 */
export async function openChannel(
  { address, outFolder, report }: { address: string; outFolder: string; report: LiveReport },
  tools: LiveTools,
): Promise<{ followers: Follower[]; lookup: ChannelLookup }> {
  const channel = await loadChannel(address, tools);
  const { multivariant, locationOfUri } = channel;
  const out = resolve(outFolder);
  const renditions = await nameRenditions(channel, out);
  const names = renditions.map(({ name }) => name);
  const rootName = rootPlaylistName(withoutQuery(address));
  const pathOf = (name: string) => (multivariant ? `${name}/${mediaPlaylistName}` : rootName);
  const missing = new Set(names);
  const epochs = new Map<string, number>();
  const onPublish = async (name: string, { text, files, lastEpoch }: PublishedRendition) => {
    const paths = files.map((file) => (multivariant ? `${name}/${file}` : file));
    report.published?.(pathOf(name), text, paths);
    if (lastEpoch !== undefined && epochs.get(name) !== lastEpoch) {
      epochs.set(name, lastEpoch);
      report.say(`${name}: epoch ${lastEpoch}`);
    }
    if (!missing.delete(name) || missing.size > 0 || !multivariant) return;
    // Only now: before, a player would find a rendition missing.
    const pathAt = new Map(renditions.map(({ location, name }) => [location, pathOf(name)]));
    const renditionPath = (uri: string) => pathAt.get(locationOfUri.get(uri) ?? '') ?? '';
    const root = renderMultivariantPlaylist(multivariant, renditionPath, []);
    await writeAtomically(join(out, rootName), root);
    report.published?.(rootName, root, names.map(pathOf));
  };
  const followers: Follower[] = [];
  for (const { name, location, file } of renditions) {
    const path = join(out, pathOf(name));
    const places = { name, location, file, folder: dirname(path), playlistName: basename(path) };
    followers.push(await openFollower({ ...places, onPublish: (done) => onPublish(name, done) }, tools));
  }
  const { periods, clock } = tools;
  const epoch = currentEpochOf(periods, clock.now());
  report.say(
    `Follows ${showUrl(address)} (${names.join(', ')}). The key changes every ${periods.periodSeconds} s; epoch ${epoch} now.`,
  );
  return { followers, lookup: createChannelLookup(address, channel, renditions, tools) };
}

/** A rendition with its name, which its folder has too. */
interface NamedRendition extends DescribedRendition {
  readonly name: string;
}

const fileName = '.latchkey-live-renditions.json';
/** Renditions that the source once had keep their names too. */
const mostKept = 400;

/**
 * Names the renditions of a channel. A rendition that the folder has already keeps its name, although the server may call it otherwise now.
 *
 * @throws AppError `VALIDATION_FAILED` if the folder's list of renditions cannot be read
 */
async function nameRenditions(
  { multivariant, renditions }: Channel,
  folder: string,
): Promise<(FoundRendition & NamedRendition)[]> {
  const nameRendition = createRenditionNamer();
  const nameOf = ({ uri }: FoundRendition) => nameRendition(withoutQuery(showUrl(uri)));
  if (!multivariant) return renditions.map((rendition) => ({ ...rendition, name: nameOf(rendition) }));
  const path = join(folder, fileName);
  const known = await readKnown(path);
  for (const { name } of known) nameRendition(name);
  const matches = matchRenditions(known, renditions);
  const named = renditions.map((rendition) => {
    return { ...rendition, name: matches.get(rendition)?.name ?? nameOf(rendition) };
  });
  const matched = new Set(matches.values());
  const list = [...named, ...known.filter((rendition) => !matched.has(rendition))].slice(0, mostKept);
  const kept = list.map(({ name, attributes }) => ({ name, attributes }));
  await writeAtomically(path, JSON.stringify(kept), { durable: true });
  return named;
}

async function readKnown(path: string): Promise<NamedRendition[]> {
  try {
    const list = JSON.parse(await readFile(path, 'utf8')) as NamedRendition[];
    for (const { name, attributes } of list)
      if (!/^[A-Za-z0-9_-]+$/.test(name) || typeof attributes !== 'object') throw new SyntaxError(name);
    return list;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw refusal(`${path} cannot be read as a list of renditions; give a new --out folder`, error);
  }
}
