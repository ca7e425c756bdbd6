import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isPartial, writeAtomically } from '../write-atomically.ts';
import { formatState, type RenditionState, readState } from './rendition-state.ts';

const stateName = '.latchkey-live.json';

/** Where one rendition is written: its segments, its playlist, and the state to go on from. */
export type RenditionFolder = Awaited<ReturnType<typeof openRenditionFolder>>;

/**
 * Opens the folder of a rendition, and removes what a killed process has left unfinished.
 *
 * @throws AppError `VALIDATION_FAILED` if its state cannot be read
 */
export async function openRenditionFolder(path: string, playlistName: string) {
  await mkdir(path, { recursive: true });
  const state = await readState(join(path, stateName));
  await removeUnfinished(path, state);
  /** In the playlist on disk. */
  let named = namesIn(state);
  /** Removes files whose time has passed, also while a full disk lets nothing be published. */
  const sweep = async (now: number) => {
    // An initialization section may be in use again, in a playlist that is not written yet.
    const next = namesIn(state);
    const isUnused = (name: string) => !named.has(name) && !next.has(name);
    const due = state.leaving.filter(({ name, removeAt }) => removeAt <= now && isUnused(name));
    if (due.length === 0) return;
    for (const { name } of due) await rm(join(path, name), { force: true });
    state.leaving = state.leaving.filter((file) => !due.includes(file));
  };
  return {
    state,
    /** Writes state and playlist, then removes files whose time has passed. */
    async publish(playlist: string, now: number) {
      // The state first: the playlist can be made from it, and not the other way round.
      await writeAtomically(join(path, stateName), formatState(state), { durable: true });
      await writeAtomically(join(path, playlistName), playlist);
      named = namesIn(state);
      await sweep(now);
    },
    sweep,
  };
}

function namesIn({ entries }: RenditionState): ReadonlySet<string> {
  return new Set(entries.flatMap(({ name, map }) => (map ? [name, map.name] : [name])));
}

/** Only names that are written here are removed. */
const mediaName = /^(\d{5,}(\.[0-9a-f]{8})?|init-[0-9a-f]{16})\.[a-z0-9]{1,8}$/;

async function removeUnfinished(path: string, { entries, leaving }: RenditionState): Promise<void> {
  const known = new Set([
    ...entries.flatMap(({ name, map }) => [name, map?.name]),
    ...leaving.map(({ name }) => name),
  ]);
  for (const name of await readdir(path)) {
    if (isPartial(name) || (mediaName.test(name) && !known.has(name)))
      await rm(join(path, name), { force: true });
  }
}
