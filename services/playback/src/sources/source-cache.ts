import type { Clock } from '@latchkey/shared/clock';
import type { RewrittenPlaylist } from '../rewrite/playlist.ts';
import type { FetchedText } from './fetch-source.ts';

/** Rewritten playlists by the URL that they are fetched from, shared by all sessions. */
export interface SourceCache {
  /**
   * The playlist, at most as old as its source allows.
   *
   * @param parent the multivariant playlist that lists it; null for the first playlist of a content
   * @throws what the fetch threw; for a second, later callers get the same error
   */
  get(url: URL, parent: RewrittenPlaylist | null): Promise<RewrittenPlaylist>;
  /** The last text of this URL however old it is: names of its children, for a client that follows one. */
  last(url: URL): RewrittenPlaylist | null;
}

interface SourceCacheOptions {
  readonly clock: Clock;
  readonly fetchText: (url: URL) => Promise<FetchedText>;
  readonly rewrite: (fetched: FetchedText, parent: RewrittenPlaylist | null) => RewrittenPlaylist;
}

interface Entry {
  playlist: RewrittenPlaylist | null;
  fault: unknown;
  freshUntilMs: number;
  sizeBytes: number;
  running: Promise<RewrittenPlaylist> | null;
}

/** The contract: "1 s at least". It also bounds how often a source that fails is called. */
const shortestMs = 1_000;
/** The contract: "a finished playlist 60 s at most". Multivariant playlists hardly ever change, so they count as finished. */
const longestMs = 60_000;
/** Of a live playlist whose source says nothing: a client waits so long after a reload without news (RFC 8216 section 6.3.4). */
const unstatedShare = 0.5;
/** All texts together. A live playlist has some 4 KiB, a film of two hours some 200 KiB. */
const roomBytes = 64 * 1024 * 1024;
/** An entry without a text: its URL, and what a Map needs. */
const emptyBytes = 1_024;

export function createSourceCache({ clock, fetchText, rewrite }: SourceCacheOptions): SourceCache {
  const entries = new Map<string, Entry>();
  let usedBytes = 0;

  async function load(key: string, entry: Entry, url: URL, parent: RewrittenPlaylist | null) {
    // The time of a text is that of its request: what it says may be that old.
    const beganAtMs = clock.monotonic();
    try {
      const fetched = await fetchText(url);
      const playlist = rewrite(fetched, parent);
      Object.assign(entry, { playlist, fault: null, freshUntilMs: beganAtMs + lifeMs(playlist, fetched) });
      resize(key, entry, emptyBytes + 2 * fetched.text.length);
      return playlist;
    } catch (fault) {
      Object.assign(entry, { fault, freshUntilMs: clock.monotonic() + shortestMs });
      throw fault;
    } finally {
      entry.running = null;
    }
  }

  function resize(key: string, entry: Entry, sizeBytes: number): void {
    if (entries.get(key) === entry) usedBytes += sizeBytes - entry.sizeBytes;
    entry.sizeBytes = sizeBytes;
    for (const [oldKey, old] of entries) {
      if (usedBytes <= roomBytes) break;
      entries.delete(oldKey);
      usedBytes -= old.sizeBytes;
    }
  }

  function open(key: string): Entry {
    const known = entries.get(key);
    // The order of the map is that of the last use.
    if (known) entries.delete(key);
    const entry = known ?? {
      playlist: null,
      fault: null,
      freshUntilMs: -Infinity,
      sizeBytes: 0,
      running: null,
    };
    entries.set(key, entry);
    if (!known) resize(key, entry, emptyBytes);
    return entry;
  }

  return {
    async get(url, parent) {
      const entry = open(url.href);
      if (clock.monotonic() < entry.freshUntilMs) {
        if (entry.fault) throw entry.fault;
        if (entry.playlist) return entry.playlist;
      }
      entry.running ??= load(url.href, entry, url, parent);
      return entry.running;
    },
    last: (url) => entries.get(url.href)?.playlist ?? null,
  };
}

function lifeMs(
  { kind, isFinished, targetSeconds }: RewrittenPlaylist,
  { maxAgeSeconds }: FetchedText,
): number {
  const mayLive = kind === 'media' && !isFinished;
  const unstatedMs = mayLive ? (targetSeconds ?? 0) * 1_000 * unstatedShare : longestMs;
  const allowedMs = maxAgeSeconds === null ? unstatedMs : maxAgeSeconds * 1_000;
  // A live playlist that is older than its segments stops playback, whatever its source allows.
  const mostMs = mayLive ? Math.max(shortestMs, (targetSeconds ?? 0) * 1_000) : longestMs;
  return Math.min(Math.max(allowedMs, shortestMs), mostMs);
}
