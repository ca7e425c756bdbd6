import type { AttributeList } from './attribute-list.ts';
import type { ByteRange } from './byte-range.ts';

/** A reference of a playlist to (a part of) a file. */
export interface MediaReference {
  readonly uri: string;
  readonly byteRange: ByteRange | undefined;
  /** Line of the playlist that names it, from 1. */
  readonly line: number;
}

/** EXT-X-MAP (RFC 8216 section 4.3.2.5): where the initialization section of the following segments is. */
export interface MapTag extends MediaReference {
  readonly attributes: AttributeList;
}

/** A line before a segment: kept to the letter, or an EXT-X-MAP to be rewritten. */
export type HeadLine = { readonly text: string; readonly tag: string } | { readonly map: MapTag };

export interface MediaSegment extends MediaReference {
  /** Duration by EXTINF; 0 where that is not a number. */
  readonly seconds: number;
  /** EXT-X-GAP: there is nothing to load, so nothing to encrypt. */
  readonly gap: boolean;
  /** Every line since the segment before, in its order. Of the first segment: the head of the playlist too. */
  readonly head: readonly HeadLine[];
}

/** A media playlist whose lines, put together again, are the input but for what encryption has to change. */
export interface MediaPlaylist {
  /** The path, for messages. */
  readonly playlist: string;
  /** EXT-X-VERSION, 1 where there is none (RFC 8216 section 4.3.1.2). */
  readonly version: number;
  /** EXT-X-MEDIA-SEQUENCE, the number of the first segment; 0 without the tag (section 4.3.3.2). */
  readonly mediaSequence: bigint;
  /** EXT-X-I-FRAMES-ONLY: each segment is one picture, for moving fast (section 4.3.3.6). */
  readonly iFramesOnly: boolean;
  readonly segments: readonly MediaSegment[];
  /** Lines after the last segment. */
  readonly tail: readonly string[];
  /** False for a playlist without EXT-X-ENDLIST: it may still grow. */
  readonly ended: boolean;
}
