import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRenditionNamer } from '../encrypt/target-names.ts';
import { withoutQuery } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { writeAtomically } from '../write-atomically.ts';
import type { Channel, FoundRendition } from './load-channel.ts';
import { type DescribedRendition, matchRenditions } from './match-renditions.ts';

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
export async function nameRenditions(
  { multivariant, renditions }: Channel,
  folder: string,
): Promise<ReadonlyMap<FoundRendition, string>> {
  const nameRendition = createRenditionNamer();
  const nameOf = ({ uri }: FoundRendition) => nameRendition(withoutQuery(showUrl(uri)));
  if (!multivariant)
    return new Map(
      renditions.map((rendition) => [rendition, nameOf({ ...rendition, uri: lastPart(rendition.uri) })]),
    );
  const path = join(folder, fileName);
  const known = await readKnown(path);
  for (const { name } of known) nameRendition(name);
  const matches = matchRenditions(known, renditions);
  const names = new Map(
    renditions.map((rendition) => [rendition, matches.get(rendition)?.name ?? nameOf(rendition)]),
  );
  const named = renditions.map((rendition) => ({
    name: names.get(rendition),
    attributes: rendition.attributes,
  }));
  const matched = new Set(matches.values());
  const list = [...named, ...known.filter((rendition) => !matched.has(rendition))].slice(0, mostKept);
  await writeAtomically(path, JSON.stringify(list), { durable: true });
  return names;
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

function lastPart(location: string): string {
  return withoutQuery(location).replace(/^.*[/\\]/s, '');
}
