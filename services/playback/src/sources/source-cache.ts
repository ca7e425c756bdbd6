import type { Clock } from '@latchkey/shared/clock';
import { LRUCache } from 'lru-cache';
import type { RewrittenPlaylist } from '../rewrite/playlist.ts';
import type { FetchedText } from './fetch-source.ts';
import { SharedFetch, type SlowPlaces } from './shared-fetch.ts';

/** A playlist that lists others, and the URL that it is fetched from. */
interface ParentPlaylist {
  readonly url: URL;
  readonly playlist: RewrittenPlaylist;
}

/** Rewritten playlists by the URL that they are fetched from, shared by all sessions. */
export interface SourceCache {
  /**
   * The playlist, at most as old as its source allows.
   *
   * @param parent the multivariant playlist that lists it; null for the first playlist of a content
   * @throws what the fetch threw; for a second, later callers get the same error. SourceSlow
   */
  get(url: URL, parent: ParentPlaylist | null): Promise<RewrittenPlaylist>;
  /** As `get` for the first playlist of a content, but at most a second old. */
  refresh(url: URL): Promise<RewrittenPlaylist>;
  /** The last text of a content's first playlist, however old it is: names of its children, for a client that follows one. */
  last(url: URL): RewrittenPlaylist | null;
}

interface SourceCacheOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly fetchText: (url: URL) => Promise<FetchedText>;
  readonly rewrite: (fetched: FetchedText, parent: RewrittenPlaylist | null) => Promise<RewrittenPlaylist>;
  /** Notified once for each fetch that failed. */
  readonly onFault: (url: URL, fault: unknown) => void;
  readonly places: SlowPlaces;
  /** For all texts together. */
  readonly roomBytes: number;
}

/** The contract: "1 s at least". It also bounds how often a source that fails is called. */
const shortestMs = 1_000;
/** The contract: "a finished playlist 60 s at most". Multivariant playlists hardly ever change, so they count as finished. */
const longestMs = 60_000;
/** Of a live playlist whose source says nothing: a client waits so long after a reload without news (RFC 8216 section 6.3.4). */
const unstatedShare = 0.5;
/** An entry without a text: its URL, and what a cache needs. */
const emptyBytes = 1_024;

/** The last results of one source. */
interface SourceEntry {
  /** The last text; null before the first. */
  readonly playlist: RewrittenPlaylist | null;
  /** Why the last fetch failed; null if it did not. */
  readonly fault: unknown;
  /** Until then the text, or the fault, is the answer. */
  readonly freshUntilMs: number;
  /** When the request for the text began, or failed. */
  readonly triedAtMs: number;
}

export function createSourceCache(options: SourceCacheOptions): SourceCache {
  const { clock, fetchText, rewrite, onFault, places } = options;
  const entries = new LRUCache<string, SourceEntry>({
    maxSize: options.roomBytes,
    sizeCalculation: ({ playlist }) => emptyBytes + (playlist?.memoryBytes ?? 0),
  });
  const running = new Map<string, SharedFetch<RewrittenPlaylist>>();

  async function load(key: string, url: URL, parent: ParentPlaylist | null) {
    const beganAtMs = clock.monotonic();
    try {
      const fetched = await fetchText(url);
      const playlist = await rewrite(fetched, parent?.playlist ?? null).finally(fetched.end);
      // A text is as old as its request. But a text that took long must not be fetched again for each caller.
      const freshUntilMs = Math.max(beganAtMs + lifeMs(playlist, fetched), clock.monotonic() + shortestMs);
      entries.set(key, { playlist, fault: null, freshUntilMs, triedAtMs: beganAtMs });
      return playlist;
    } catch (fault) {
      onFault(url, fault);
      const nowMs = clock.monotonic();
      const playlist = entries.peek(key)?.playlist ?? null;
      entries.set(key, { playlist, fault, freshUntilMs: nowMs + shortestMs, triedAtMs: nowMs });
      throw fault;
    }
  }

  function share(key: string, url: URL, parent: ParentPlaylist | null): Promise<RewrittenPlaylist> {
    const begun = running.get(key);
    if (begun) return begun.join();
    const loaded = load(key, url, parent).finally(() => running.delete(key));
    const fetch = new SharedFetch(loaded, places);
    running.set(key, fetch);
    return fetch.join();
  }

  async function get(url: URL, parent: ParentPlaylist | null): Promise<RewrittenPlaylist> {
    // The text of a playlist contains variables that it imports from the playlist that lists it.
    const key = parent ? `${url.href} ${parent.url.href}` : url.href;
    const entry = entries.get(key);
    if (entry && clock.monotonic() < entry.freshUntilMs) {
      if (entry.fault) throw entry.fault;
      if (entry.playlist) return entry.playlist;
    }
    return share(key, url, parent);
  }

  return {
    get,
    async refresh(url) {
      const entry = entries.get(url.href);
      const isFresh = entry && clock.monotonic() - entry.triedAtMs < shortestMs;
      return isFresh ? get(url, null) : share(url.href, url, null);
    },
    last: (url) => entries.peek(url.href)?.playlist ?? null,
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
