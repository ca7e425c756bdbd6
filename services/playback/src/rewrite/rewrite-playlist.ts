import { type PlaylistLine, readLines } from '@latchkey/shared/hls';
import { amountOfCopy } from '../work-portions.ts';
import type { RewriteRules, RewrittenPlaylist, SourcePlaylist } from './playlist.ts';
import { PlaylistFault } from './playlist-fault.ts';
import { lineCharacters, rewriteLines } from './rewrite-lines.ts';

/** Far above a film: one of 24 hours with segments of two seconds has 90,000. Each takes some two microseconds. */
const linesAtMost = 200_000;

const multivariantTags = ['EXT-X-STREAM-INF', 'EXT-X-I-FRAME-STREAM-INF', 'EXT-X-MEDIA', 'EXT-X-SESSION-KEY'];

/**
 * Rewrites a playlist for sessions: other playlists become neighbors of this one, keys of this server name the session, and every other
 * URI becomes absolute. Each text is rewritten once. What differs between sessions is filled in for each answer.
 *
 * @returns steps, for `WorkPortions.finish`: each value is the amount of the work after it, in characters
 * @throws PlaylistFault if it is not a playlist, or names one that may not be fetched
 */
export function* rewritePlaylist(
  source: SourcePlaylist,
  rules: RewriteRules,
): Generator<number, RewrittenPlaylist, undefined> {
  const text = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text;
  // The ends of its lines are looked for before the first of them is read.
  yield amountOfCopy(text.length);
  const lines = readLines(text);
  if (!lines) throw new PlaylistFault('it does not begin with #EXTM3U, so it is not a playlist');
  if (hasTooManyLines(text)) throw new PlaylistFault('it has more than 200,000 lines');
  const { isMultivariant, isFinished, targetSeconds } = yield* survey(lines);
  const kind = isMultivariant ? 'multivariant' : 'media';
  if (isMultivariant && source.parent) {
    throw new PlaylistFault('a multivariant playlist lists another multivariant playlist');
  }
  if (!isMultivariant && targetSeconds === null) {
    throw new PlaylistFault('it lists neither variants nor segments with an EXT-X-TARGETDURATION');
  }
  const rewritten = yield* rewriteLines(lines, { ...source, kind, rules });
  return { kind, isFinished: !isMultivariant && isFinished, targetSeconds, ...rewritten };
}

/** Counts ends of lines, and stops early. Takes 2 ms. */
function hasTooManyLines(text: string): boolean {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (++count > linesAtMost) return true;
  }
  return false;
}

interface Survey {
  readonly isMultivariant: boolean;
  readonly isFinished: boolean;
  /** Of the first such tag; null without one, or if it is not a number over 0. */
  readonly targetSeconds: number | null;
}

/** What has to be known of all lines before the first one is rewritten. */
function* survey(lines: Iterable<PlaylistLine>): Generator<number, Survey, undefined> {
  let isMultivariant = false;
  let isFinished = false;
  let target: string | undefined;
  for (const { text, tag, value } of lines) {
    yield lineCharacters + text.length;
    isMultivariant ||= multivariantTags.includes(tag);
    isFinished ||= tag === 'EXT-X-ENDLIST' || (tag === 'EXT-X-PLAYLIST-TYPE' && value.trim() === 'VOD');
    if (tag === 'EXT-X-TARGETDURATION') target ??= value;
  }
  const seconds = Number(target);
  return { isMultivariant, isFinished, targetSeconds: seconds > 0 ? seconds : null };
}
