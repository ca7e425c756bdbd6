import type { RewrittenPlaylist } from '../rewrite/playlist.ts';
import type { SharedFetch } from './shared-fetch.ts';

/** What is known of one source. */
export interface SourceEntry {
  readonly key: string;
  /** The last text; null before the first. */
  playlist: RewrittenPlaylist | null;
  /** Why the last fetch failed; null if it did not. */
  fault: unknown;
  /** Until then the text, or the fault, is the answer. */
  freshUntilMs: number;
  /** When the request for the text began, or failed. */
  triedAtMs: number;
  sizeBytes: number;
  running: SharedFetch<RewrittenPlaylist> | null;
}

/** An entry without a text: its URL, and what a Map needs. */
const emptyBytes = 1_024;
/** Of a character, at most. Most texts are ASCII, and take one. */
const characterBytes = 2;

/** Entries by their key, bounded by their memory. New ones displace those that were used longest ago. */
export class SourceEntries {
  readonly #entries = new Map<string, SourceEntry>();
  readonly #roomBytes: number;
  #usedBytes = 0;

  constructor(roomBytes: number) {
    this.#roomBytes = roomBytes;
  }

  /** The entry of this key, which it makes if there is none. It counts as used. */
  open(key: string): SourceEntry {
    const known = this.#entries.get(key);
    if (known) {
      // The order of the map is that of the last use.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const entry: SourceEntry = {
      key,
      playlist: null,
      fault: null,
      freshUntilMs: Number.NEGATIVE_INFINITY,
      triedAtMs: Number.NEGATIVE_INFINITY,
      sizeBytes: 0,
      running: null,
    };
    this.#entries.set(key, entry);
    this.resize(entry, 0);
    return entry;
  }

  peek(key: string): SourceEntry | undefined {
    return this.#entries.get(key);
  }

  /** @param length of the entry's text, in characters */
  resize(entry: SourceEntry, length: number): void {
    const sizeBytes = emptyBytes + characterBytes * length;
    if (this.#entries.get(entry.key) === entry) this.#usedBytes += sizeBytes - entry.sizeBytes;
    entry.sizeBytes = sizeBytes;
    for (const [key, old] of this.#entries) {
      if (this.#usedBytes <= this.#roomBytes) break;
      // Without the entry of a fetch that is running, the next caller would begin another one.
      if (old.running || old === entry) continue;
      this.#entries.delete(key);
      this.#usedBytes -= old.sizeBytes;
    }
  }
}
