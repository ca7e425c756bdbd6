import { type PlaylistLine, splitLines } from '@latchkey/shared/hls';
import { nameChildren } from './name-children.ts';
import type { RewriteRules, RewrittenPlaylist, SourcePlaylist } from './playlist.ts';
import { PlaylistFault } from './playlist-fault.ts';
import { type Piece, rewriteLines, sessionId } from './rewrite-lines.ts';

/**
 * Far above a film: one of 24 hours with segments of two seconds has 90,000. Each takes some two microseconds, in which the process does
 * nothing else.
 */
const linesAtMost = 200_000;

const multivariantTags = ['EXT-X-STREAM-INF', 'EXT-X-I-FRAME-STREAM-INF', 'EXT-X-MEDIA', 'EXT-X-SESSION-KEY'];

/**
 * Rewrites a playlist for sessions: other playlists become neighbors of this one, keys of this server name the session, and every other
 * URI becomes absolute. Each text is rewritten once. What differs between sessions is filled in for each answer.
 *
 * @throws PlaylistFault if it is not a playlist, or names one that may not be fetched
 */
export function rewritePlaylist(source: SourcePlaylist, rules: RewriteRules): RewrittenPlaylist {
  const lines = splitLines(source.text.replace(/^\uFEFF/, ''));
  if (!lines) throw new PlaylistFault('it does not begin with #EXTM3U, so it is not a playlist');
  if (lines.length > linesAtMost) throw new PlaylistFault('it has more than 200,000 lines');
  const kind = lines.some(({ tag }) => multivariantTags.includes(tag)) ? 'multivariant' : 'media';
  if (kind === 'multivariant' && source.parent) {
    throw new PlaylistFault('a multivariant playlist lists another multivariant playlist');
  }
  if (kind === 'media' && readTarget(lines) === null) {
    throw new PlaylistFault('it lists neither variants nor segments with an EXT-X-TARGETDURATION');
  }
  const { pieces, children, variables } = rewriteLines(lines, { ...source, kind, rules });
  const names = nameChildren(children);
  const parts = joinAroundSession(pieces, names);
  return {
    kind,
    isFinished: kind === 'media' && lines.some(isEnd),
    targetSeconds: readTarget(lines),
    children: new Map(children.map((child) => [names.get(child.href) ?? '', child])),
    variables,
    length: parts.reduce((sum, part) => sum + part.length, 0),
    write: (sid) => parts.join(sid),
  };
}

/** The text between the places of the session's id, so that writing one more answer only joins them. */
function joinAroundSession(pieces: readonly Piece[], names: ReadonlyMap<string, string>): readonly string[] {
  const parts: string[] = [];
  let part: string[] = [];
  // Joined at once: a text that grew by each piece would keep the pieces, and be put together for each answer.
  const end = () => {
    parts.push(part.join(''));
    part = [];
  };
  for (const piece of pieces) {
    if (piece === sessionId) end();
    else part.push(piece instanceof URL ? (names.get(piece.href) ?? '') : piece);
  }
  end();
  return parts;
}

const isEnd = ({ tag, value }: PlaylistLine) =>
  tag === 'EXT-X-ENDLIST' || (tag === 'EXT-X-PLAYLIST-TYPE' && value.trim() === 'VOD');

function readTarget(lines: readonly PlaylistLine[]): number | null {
  const seconds = Number(lines.find(({ tag }) => tag === 'EXT-X-TARGETDURATION')?.value);
  return seconds > 0 ? seconds : null;
}
