import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decrypter } from './decrypt.ts';
import type { ListedSegment } from './read-playlist.ts';

interface Known extends ListedSegment {
  readonly hash: string;
  /** Of what openssl makes of it. */
  readonly decrypted: Promise<string>;
}

/** The segments of a channel, from the first look at which a playlist named them. */
export interface ListedSegments {
  count(): number;
  /** Looks at a segment that the playlist names now. */
  look(segment: ListedSegment): void;
  /** Longest time between two new segments. */
  longestMs(): number;
  /**
   * Compares everything that was listed with the packager's segments.
   *
   * @param clear hashes of the packager's segments by number
   */
  finish(clear: ReadonlyMap<number, string>): Promise<{ segments: number; keys: number }>;
}

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** @param wrong receives a sentence for each thing that is wrong */
export function createListedSegments(folder: string, decrypt: Decrypter, wrong: Set<string>): ListedSegments {
  const known = new Map<number, Known>();
  const pace = createPace();

  function add(segment: ListedSegment, bytes: Buffer, hash: string): void {
    const { number, uri, keyUrl, iv } = segment;
    if (!keyUrl || !iv) return void wrong.add(`${uri} was listed without a key`);
    if (known.size > 0 && !known.has(number - 1)) wrong.add(`a gap before segment ${number}`);
    const decrypted = decrypt(bytes, keyUrl, iv).then(hashOf, (error: Error) => {
      wrong.add(`${uri}: ${error.message}`);
      return '';
    });
    known.set(number, { ...segment, hash, decrypted });
    pace.next();
  }

  return {
    count: () => known.size,
    longestMs: pace.longestMs,
    look(segment) {
      const { number, uri, keyUrl, iv } = segment;
      const bytes = readIfThere(join(folder, uri));
      if (!bytes) return void wrong.add(`${uri} was listed and not there`);
      const hash = hashOf(bytes);
      const before = known.get(number);
      if (!before) return add(segment, bytes, hash);
      const isSame = before.uri === uri && before.keyUrl === keyUrl && before.iv === iv;
      if (!isSame) wrong.add(`segment ${number} was listed twice, not the same`);
      // A segment that was listed before it was whole has more bytes now.
      if (before.hash !== hash) wrong.add(`${uri} was listed before it was whole`);
    },
    async finish(clear) {
      const used = new Set<string>();
      let segments = 0;
      for (const { number, uri, keyUrl, iv, decrypted } of known.values()) {
        if (used.has(`${keyUrl} ${iv}`)) wrong.add(`${uri} has the vector of another segment under its key`);
        used.add(`${keyUrl} ${iv}`);
        if ((await decrypted) === clear.get(number)) segments++;
        else wrong.add(`${uri} does not decrypt to the packager's bytes`);
      }
      return { segments, keys: new Set([...known.values()].map(({ keyUrl }) => keyUrl)).size };
    },
  };
}

/** The longest time between two calls of `next`. */
export function createPace() {
  let lastMs: number | undefined;
  let longestMs = 0;
  return {
    next() {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - (lastMs ?? nowMs));
      lastMs = nowMs;
    },
    longestMs: () => longestMs,
  };
}

/** The bytes of a file; undefined if it is not there (any more). */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
