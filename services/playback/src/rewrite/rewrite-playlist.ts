import { type PlaylistLine, readLines } from '@latchkey/shared/hls';
import { amountOfCopy } from '../work-portions.ts';
import type { RewriteRules, RewrittenPlaylist, SourcePlaylist } from './playlist.ts';
import { PlaylistFault } from './playlist-fault.ts';
import { lineCharacters, rewriteLines } from './rewrite-lines.ts';

/** A day of segments of two seconds, with three tags each, has 173,000. Each takes some two microseconds. */
const linesAtMost = 400_000;
/** A line is worked on in one piece. Twice the longest URI. */
const longestLine = 131_072;
/** Lines that are found in the time in which one is rewritten. */
const foundAtOnce = 32;

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
  yield* checkLines(text);
  const lines = readLines(text);
  if (!lines) throw new PlaylistFault('it does not begin with #EXTM3U, so it is not a playlist');
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

/** @throws PlaylistFault if there are more or longer lines than any playlist has */
function* checkLines(text: string): Generator<number, void, undefined> {
  let start = 0;
  for (let count = 1; start < text.length; count++) {
    if (count > linesAtMost) throw new PlaylistFault('it has more than 400,000 lines');
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    if (end - start > longestLine)
      throw new PlaylistFault('it has a line that is too long: more than 131,072 characters', count);
    start = end + 1;
    if (count % foundAtOnce === 0) yield lineCharacters;
  }
}

interface Survey {
  readonly isMultivariant: boolean;
  readonly isFinished: boolean;
  /** Of the first such tag; null without one, or if it is not a number over 0. */
  readonly targetSeconds: number | null;
}

/** Reads from all lines the facts that are needed before the first one is rewritten. */
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
