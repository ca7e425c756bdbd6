import { pipeline, Readable } from 'node:stream';
import { text as join } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { pieceCharacters } from './rewrite/session-text.ts';

/** Compresses playlists. */
export interface AnswerZip {
  /**
   * @param text in pieces
   * @param sizeBytes of the text
   * @returns gzip of the text, of a long one as a stream; null for a text that is sent as it is
   */
  zip(text: AsyncIterable<string>, sizeBytes: number): Promise<Buffer | Readable | null>;
}

/** A shorter text is a packet or two anyway. */
const leastBytes = 1_024;
/** Longer texts, each with some 300 KiB until its client has read it. Further ones are sent as they are. */
const streamsAtMost = 64;
/** The fastest. The usual level takes twice as long for 2 % less: what is long in a playlist repeats, or is random. */
const level = 1;

/** @param atMost long texts at the same time */
export function createAnswerZip(atMost = streamsAtMost): AnswerZip {
  let running = 0;
  return {
    async zip(text, sizeBytes) {
      if (sizeBytes < leastBytes) return null;
      // 0.02 ms for a live playlist of 4 KB, and 0.2 ms for the longest. A stream takes ten times as long for the former.
      if (sizeBytes <= pieceCharacters) return gzipSync(await join(text), { level });
      if (running >= atMost) return null;
      running++;
      // On another thread. Its end, an error and a client that leaves all end both streams.
      return pipeline(Readable.from(text), createGzip({ level }), () => {
        running--;
      });
    },
  };
}
