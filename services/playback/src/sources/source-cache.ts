import type { Clock } from '@latchkey/shared/clock';
import type { RewrittenPlaylist } from '../rewrite/playlist.ts';
import type { FetchedText } from './fetch-source.ts';
import { SharedFetch, type SlowPlaces } from './shared-fetch.ts';
import { SourceEntries, type SourceEntry } from './source-entries.ts';

/** A playlist that lists others, and where it is fetched from. */
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
export function createSourceCache(options: SourceCacheOptions): SourceCache {
  const { clock, fetchText, rewrite, onFault, places } = options;
  const entries = new SourceEntries(options.roomBytes);

  async function load(entry: SourceEntry, url: URL, parent: ParentPlaylist | null) {
    const beganAtMs = clock.monotonic();
    try {
      const fetched = await fetchText(url);
      const playlist = await rewrite(fetched, parent?.playlist ?? null);
      // The time of a text is that of its request: what it says may be that old. But one that took long must not be fetched for each caller.
      const freshUntilMs = Math.max(beganAtMs + lifeMs(playlist, fetched), clock.monotonic() + shortestMs);
      Object.assign(entry, { playlist, fault: null, freshUntilMs, triedAtMs: beganAtMs });
      entries.resize(entry, playlist.length);
      return playlist;
    } catch (fault) {
      onFault(url, fault);
      const nowMs = clock.monotonic();
      Object.assign(entry, { fault, freshUntilMs: nowMs + shortestMs, triedAtMs: nowMs });
      throw fault;
    }
  }

  function share(entry: SourceEntry, url: URL, parent: ParentPlaylist | null): Promise<RewrittenPlaylist> {
    const ended = () => {
      entry.running = null;
    };
    entry.running ??= new SharedFetch(load(entry, url, parent).finally(ended), places);
    return entry.running.join();
  }

  async function get(url: URL, parent: ParentPlaylist | null): Promise<RewrittenPlaylist> {
    // What a playlist imports from the one that lists it is a part of its text.
    const entry = entries.open(parent ? `${url.href} ${parent.url.href}` : url.href);
    if (clock.monotonic() < entry.freshUntilMs) {
      if (entry.fault) throw entry.fault;
      if (entry.playlist) return entry.playlist;
    }
    return share(entry, url, parent);
  }

  return {
    get,
    async refresh(url) {
      const entry = entries.open(url.href);
      return clock.monotonic() - entry.triedAtMs < shortestMs ? get(url, null) : share(entry, url, null);
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
