import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Decrypter } from './decrypt.ts';
import { findClearMedia } from './find-clear-media.ts';
import {
  createListedSegments,
  createPace,
  hashOf,
  type ListedSegments,
  readIfThere,
} from './listed-segments.ts';
import { readPlaylist } from './read-playlist.ts';

/** What a channel writes. */
export interface WatchedFolders {
  readonly name: string;
  /** Served to players. */
  readonly folder: string;
  readonly playlistName: string;
  /** The packager's own segments. Not served. */
  readonly clearFolder: string;
}

interface Watched {
  /** Looks at the whole served folder. */
  readonly looks: number;
  /** Segments that openssl has decrypted to the packager's own bytes. */
  readonly segments: number;
  readonly keys: number;
  /** The longest times between two segments, of the packager and in the served playlist: a late packager makes players stall. */
  readonly longestMs: { readonly packager: number; readonly served: number };
  /** A sentence for each thing that is wrong. */
  readonly wrong: readonly string[];
}

export interface ChannelWatch {
  /** Segments that were listed so far. */
  count(): number;
  /** Ends the looks, and waits for the last segment to be decrypted. A second call gives the same. */
  finish(): Promise<Watched>;
}

/** Twice a second: a segment has 2 s, so each state of the folder that lasts is seen. */
const lookEveryMs = 500;

/** Looks at every file of a channel twice a second, as a player and as a thief would. */
export function watchChannel(folders: WatchedFolders, decrypt: Decrypter): ChannelWatch {
  const wrong = new Set<string>();
  const listed = createListedSegments(folders.folder, decrypt, wrong);
  /** Hashes of the packager's segments by number. */
  const clear = new Map<number, string>();
  const pace = createPace();
  let looks = 0;

  function look(): void {
    for (const [what, work] of [
      ['the playlist', () => lookAtServed(folders, listed, wrong)],
      ["the packager's playlist", () => lookAtClear(folders.clearFolder, clear, pace.next)],
    ] as const) {
      try {
        work();
      } catch (error) {
        wrong.add(`${what} at look ${looks}: ${(error as Error).message}`);
      }
    }
    looks++;
  }

  let isOver = false;
  async function lookAgain(): Promise<void> {
    for (; !isOver; await sleep(lookEveryMs)) look();
  }
  const looking = lookAgain();

  async function finish(): Promise<Watched> {
    isOver = true;
    await looking;
    look();
    const counts = await listed.finish(clear);
    const longestMs = { packager: pace.longestMs(), served: listed.longestMs() };
    return { looks, ...counts, longestMs, wrong: [...wrong] };
  }

  let finishing: Promise<Watched> | undefined;
  return {
    count: listed.count,
    finish() {
      finishing ??= finish();
      return finishing;
    },
  };
}

function lookAtServed(
  { folder, playlistName }: WatchedFolders,
  listed: ListedSegments,
  wrong: Set<string>,
): void {
  const text = readIfThere(join(folder, playlistName))?.toString();
  if (text === undefined) {
    if (listed.count() > 0) wrong.add('the playlist was gone');
    return;
  }
  for (const segment of readPlaylist(text).segments) listed.look(segment);
  // Initialization sections are in the clear, and contain no media.
  for (const name of readdirSync(folder)) {
    const bytes = readIfThere(join(folder, name));
    const found = bytes && findClearMedia(bytes);
    if (found) wrong.add(`${name} is ${found} in the clear`);
  }
}

function lookAtClear(folder: string, clear: Map<number, string>, isNew: () => void): void {
  const text = readIfThere(join(folder, 'live.m3u8'))?.toString();
  // ffmpeg writes it anew: it may be half of one.
  if (!text?.endsWith('\n')) return;
  for (const { number, uri } of readPlaylist(text).segments) {
    const bytes = clear.has(number) ? undefined : readIfThere(join(folder, uri));
    if (!bytes) continue;
    clear.set(number, hashOf(bytes));
    isNew();
  }
}
