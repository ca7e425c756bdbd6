import type { KeyedFragment } from './key-loader.ts';

/** A segment with its place in the presentation, in seconds. */
export interface TimedFragment extends KeyedFragment {
  readonly start: number;
  readonly duration: number;
}

/** The segments of one key in a playlist. */
export interface KeyPeriod {
  readonly url: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Whether it begins in this playlist, and not before it. */
  readonly hasStart: boolean;
}

/** @param fragments of a playlist, in their order @returns the periods, in their order, without clear segments */
export function findPeriods(fragments: readonly TimedFragment[]): KeyPeriod[] {
  const periods: KeyPeriod[] = [];
  for (const [index, { start, duration, decryptdata }] of fragments.entries()) {
    const url = decryptdata?.uri;
    if (url === undefined) continue;
    const last = periods.at(-1);
    const isSame = last?.url === url;
    const period = isSame ? last : { url, startSeconds: start, hasStart: index > 0 };
    if (isSame) periods.pop();
    periods.push({ ...period, endSeconds: start + duration });
  }
  return periods;
}

/** The current period of a live stream, and how long periods are. */
export interface EdgePeriod {
  readonly url: string;
  /** The key before it; undefined if the playlist no longer names it. */
  readonly previousUrl: string | undefined;
  readonly startSeconds: number;
  readonly lengthSeconds: number;
}

/**
 * Learns the periods of a live stream from its playlists, which may be shorter than a period.
 *
 * @param nextOf the key URL of the next epoch
 */
export function createEdgeWatch(nextOf: (url: string) => string | undefined) {
  let starts = new Map<string, number>();
  let lengthSeconds: number | undefined;
  return {
    /** @returns undefined until two periods were seen to begin */
    update(fragments: readonly TimedFragment[]): EdgePeriod | undefined {
      const periods = findPeriods(fragments);
      // A start that has left the playlist is remembered while the playlist has its period.
      starts = new Map(
        periods.flatMap(({ url, hasStart, startSeconds }) => {
          const start = hasStart ? startSeconds : starts.get(url);
          return start === undefined ? [] : [[url, start]];
        }),
      );
      const [previous, edge] = [periods.at(-2), periods.at(-1)];
      const startSeconds = starts.get(edge?.url ?? '');
      if (!edge || startSeconds === undefined) return undefined;
      const before = starts.get(previous?.url ?? '');
      // Not after an advertisement.
      if (previous && before !== undefined && nextOf(previous.url) === edge.url)
        lengthSeconds = startSeconds - before;
      if (lengthSeconds === undefined) return undefined;
      return { url: edge.url, previousUrl: previous?.url, startSeconds, lengthSeconds };
    },
  };
}
