import type Hls from 'hls.js';
import { leadSeconds } from './early-moment.ts';
import { createFetchPlan } from './fetch-plan.ts';
import { findNextKey } from './key-loader.ts';
import { createEdgeWatch, findPeriods, type TimedFragment } from './key-periods.ts';
import { contentIdOf, nextKeyUrl } from './key-url.ts';
import type { PlayerCore } from './player-core.ts';

/** Of a segment, when a key is not served before its period begins. The first segment of the period is complete later. */
const openingShare = 1 / 2;

type Segment = TimedFragment & { readonly level: number; readonly type: string };
interface Playlist {
  readonly live: boolean;
  readonly targetduration: number;
  readonly fragments: readonly TimedFragment[];
}

/**
 * Fetches keys before hls.js needs them, each at a random moment, so that players in step do not request in step:
 * - before the last segment that is loaded is used up, as the playlist names the keys;
 * - when the playhead is in the last three fifths of a period;
 * - in a live stream, whose playlist does not name the next key, when the stream is in the last three fifths of a period.
 */
export function createKeyAhead(hls: Hls, core: PlayerCore, keyServerUrl: string) {
  const { Events } = hls.constructor as typeof Hls;
  const nextOf = (url: string) => nextKeyUrl(url, keyServerUrl);
  const isKey = (url: string) => contentIdOf(url, keyServerUrl) !== undefined;
  const fragmentsOf = ({ level }: Segment) =>
    (hls.levels[level]?.details?.fragments ?? []) as readonly TimedFragment[];
  const byPlayhead = createFetchPlan(core);
  let edge = createEdgeAhead(core, nextOf);

  /** At a random time in the first half of a segment. */
  function onLoaded(frag: Segment) {
    const url = findNextKey(fragmentsOf(frag), frag.sn);
    if (url !== undefined && isKey(url))
      createFetchPlan(core).fetch(url, (share) => frag.duration * openingShare * share);
  }

  function onPlaying(frag: Segment) {
    const periods = findPeriods(fragmentsOf(frag));
    const index = periods.findIndex(({ url }) => url === frag.decryptdata?.uri);
    const [current, next] = [periods[index], periods[index + 1]];
    if (!current || !next || !isKey(next.url)) return;
    const { startSeconds, endSeconds } = current;
    const { currentTime = frag.start, playbackRate = 1 } = hls.media ?? {};
    byPlayhead.fetch(next.url, (share) => {
      const atSeconds = endSeconds - leadSeconds(endSeconds - startSeconds, share);
      // A later segment decides.
      if (atSeconds > frag.start + frag.duration) return undefined;
      return (atSeconds - currentTime) / (playbackRate || 1);
    });
  }

  return {
    /** Another presentation is loaded. */
    begin() {
      edge = createEdgeAhead(core, nextOf);
    },
    listeners: {
      [Events.FRAG_LOADED]: (_: unknown, { frag }: { frag: Segment }) => {
        if (frag.type === 'main') onLoaded(frag);
      },
      [Events.FRAG_CHANGED]: (_: unknown, { frag }: { frag: Segment }) => onPlaying(frag),
      [Events.LEVEL_UPDATED]: (_: unknown, { details }: { details: Playlist }) => edge.onUpdated(details),
    },
  };
}

/** Fetches the next key of a live stream ahead. @param nextOf the key URL of the next epoch */
function createEdgeAhead(core: PlayerCore, nextOf: (url: string) => string | undefined) {
  const plan = createFetchPlan(core);
  const edgeWatch = createEdgeWatch(nextOf);
  let isServedAhead = true;
  let plannedEdgeSeconds: number | undefined;
  let seenUrl: string | undefined;
  /** Of the period with this key, when it was first seen: later playlists must not move the planned moment. */
  let seenLeftSeconds = 0;

  function onUpdated({ live, fragments, targetduration }: Playlist) {
    const edge = edgeWatch.update(fragments);
    const last = fragments.at(-1);
    const keys = core.session?.keys;
    const next = nextOf(edge?.url ?? '');
    if (!live || !edge || !last || next === undefined || !keys) return;
    // The viewer may watch an earlier part of the stream.
    if (!keys.isUsed(edge.url) && !keys.isUsed(edge.previousUrl ?? '')) return;
    const endSeconds = edge.startSeconds + edge.lengthSeconds;
    const edgeSeconds = last.start + last.duration;
    // Nothing new, and time has passed since.
    if (edgeSeconds === plannedEdgeSeconds) return;
    plannedEdgeSeconds = edgeSeconds;
    const leftSeconds = endSeconds - edgeSeconds;
    if (seenUrl !== edge.url) seenLeftSeconds = leftSeconds;
    seenUrl = edge.url;
    plan.fetch(
      next,
      (share) =>
        leftSeconds +
        (isServedAhead
          ? -leadSeconds(edge.lengthSeconds, share, seenLeftSeconds)
          : targetduration * openingShare * share),
      (code) => {
        if (code === 'EPOCH_NOT_YET') isServedAhead = false;
      },
    );
  }
  return { onUpdated };
}
