import type { SessionText } from './session-text.ts';
import type { Variables } from './variables.ts';

/** A playlist as it was fetched. */
export interface SourcePlaylist {
  readonly text: string;
  /** Where it came from, after redirects: its URIs are relative to it (RFC 8216 section 4.1). */
  readonly url: URL;
  /** The multivariant playlist that lists it; null for the first playlist of a content. */
  readonly parent: RewrittenPlaylist | null;
}

export interface RewriteRules {
  /** Whether a playlist may be fetched from this URL. */
  readonly mayFetch: (url: URL) => boolean;
  /** The URL of a key of this server, which sessions open; null for any other key URI. */
  readonly toOwnKey: (url: URL) => URL | null;
}

/** A playlist that can be served to every session. */
export interface RewrittenPlaylist {
  readonly kind: 'media' | 'multivariant';
  /** Nothing will be added to it. Always false for a multivariant playlist. */
  readonly isFinished: boolean;
  /** `EXT-X-TARGETDURATION`; null if the playlist has no such tag. */
  readonly targetSeconds: number | null;
  /** The playlists that a multivariant playlist lists, by their names next to it. */
  readonly children: ReadonlyMap<string, URL>;
  /** The names of these playlists by their URLs. */
  readonly childNames: ReadonlyMap<string, string>;
  readonly variables: Variables;
  /** The most bytes that it keeps in memory. */
  readonly memoryBytes: number;
  readonly text: SessionText;
}
