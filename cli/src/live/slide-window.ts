import type { LiveEntry, RenditionState } from './rendition-state.ts';
import type { SourceWindow } from './source-window.ts';

/**
 * Brings the window to the source's: segments that left it leave here too, and lines that the packager has rewritten are taken
 * over, such as EXT-X-PROGRAM-DATE-TIME that always stands before the first segment only.
 *
 * @returns whether anything has changed
 */
export function slideWindow(state: RenditionState, source: SourceWindow, now: number): boolean {
  const before = JSON.stringify([state.header, state.entries.length]);
  state.header = source.header;
  const firstSource = source.segments[0]?.number ?? 0;
  const most = Math.max(state.windowLength, source.segments.length);
  let rewritten = false;
  while (state.entries.length > 1) {
    const [front] = state.entries;
    const stays = front?.source === null ? state.entries.length <= most : (front?.source ?? 0) >= firstSource;
    if (stays) break;
    leave(state, state.entries.splice(0, 1), now);
  }
  const byNumber = new Map(source.segments.map((segment) => [segment.number, segment]));
  for (const entry of state.entries) {
    const segment = entry.source === null ? undefined : byNumber.get(entry.source);
    if (!segment || segment.lines.join('\n') === entry.lines.join('\n')) continue;
    // A gap of ours keeps its EXT-X-GAP, which the source does not have.
    if (entry.encryption === undefined && !segment.gap) continue;
    entry.lines = segment.lines;
    rewritten = true;
  }
  return rewritten || before !== JSON.stringify([state.header, state.entries.length]);
}

/**
 * Starts a new window after segments were lost. Players skip to it, as they do after a pause. Segments keep the numbers of the
 * source, so renditions stay in step.
 */
export function skipTo(state: RenditionState, source: SourceWindow, now: number): void {
  const [first] = source.segments;
  if (!first) return;
  leave(state, state.entries.splice(0), now);
  state.next = first.number + state.offset;
  state.lastSource = first.number - 1;
  // A discontinuity that stood between is not known unless the source counts them.
  const unseen = first.discontinuityNumber - (first.discontinuity ? 1 : 0);
  state.discontinuityNumber = Math.max(unseen, state.discontinuityNumber);
}

/** The packager starts its numbering again: the output counts on, after a discontinuity. */
export function startRun(state: RenditionState, source: SourceWindow): void {
  const first = source.segments[0]?.number ?? 0;
  for (const entry of state.entries) entry.source = null;
  state.windowLength = Math.max(state.entries.length, 1);
  state.offset = state.next - first;
  state.lastSource = first - 1;
  state.breaksNext = true;
  state.ended = false;
}

/** Before the first segment of all. */
export function startFirst(state: RenditionState, source: SourceWindow): void {
  const [first] = source.segments;
  if (!first) return;
  state.next = first.number;
  state.lastSource = first.number - 1;
  state.discontinuityNumber = first.discontinuityNumber - (first.discontinuity ? 1 : 0);
}

/** RFC 8216 section 6.2.2: a file stays as long as the segment and the longest playlist that named it. */
function leave(state: RenditionState, entries: readonly LiveEntry[], now: number): void {
  if (entries.length > 0) state.slides = true;
  const inUse = new Set(state.entries.flatMap(({ map }) => map?.name ?? []));
  for (const { name, seconds, encryption, map } of entries) {
    const removeAt = now + (seconds + state.longestSeconds) * 1_000;
    if (encryption) state.leaving.push({ name, removeAt });
    if (map && !inUse.has(map.name)) {
      state.leaving = state.leaving.filter((file) => file.name !== map.name);
      state.leaving.push({ name: map.name, removeAt });
    }
  }
}
