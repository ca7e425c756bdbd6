import { type Authority, decideBySession, settleDecision } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import type { ContentState, LeaseState, SessionId } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { PlaybackConfig } from './config.ts';
import { findPlaylist } from './find-playlist.ts';
import { pieceCharacters } from './rewrite/session-text.ts';
import type { SourceCache } from './sources/source-cache.ts';
import { amountOfCopy, type WorkPortions } from './work-portions.ts';

/** A playlist as it is sent. */
interface ServedText {
  readonly sizeBytes: number;
  /** Each is made when it is asked for: a text of 16 MiB takes 50 ms to write, and a slow client would keep a copy of it in memory. */
  readonly pieces: AsyncIterable<string>;
}

/** Decides about requests for playlists, and writes the playlists. */
export interface PlaylistServer {
  /**
   * @param session of the URL; not checked yet
   * @param sid the same, as it was written
   * @param name the last part of the path
   * @returns the text of the playlist
   * @throws AppError with the code of the decision; NOT_FOUND; DEPENDENCY_UNAVAILABLE if a state cannot be known or the source serves
   *   no playlist
   */
  serve(session: SessionId, sid: string, name: string): Promise<ServedText>;
}

interface PlaylistServerOptions {
  readonly authority: Authority;
  readonly clock: Clock;
  readonly leaseMode: PlaybackConfig['leaseMode'];
  readonly sources: SourceCache;
  readonly turns: Pick<WorkPortions, 'take'>;
  /** A use of a session, which may extend its lease. It must not wait or throw. */
  readonly noteUse: (leaseId: string, lease: LeaseState, usedAt: number) => void;
}

const isServed = (content: ContentState | null) => content?.status === 'active';

export function createPlaylistServer(options: PlaylistServerOptions): PlaylistServer {
  const { authority, clock, leaseMode, sources, turns, noteUse } = options;

  /** @throws AppError if the session opens nothing now */
  async function open(session: SessionId) {
    const leaseLoads = authority.leases.loadsBegun;
    const request = { session, contentId: null, leaseMode, isServed };
    const decide = () => decideBySession(request, authority, clock.now(), leaseLoads);
    const decision = await settleDecision(decide(), decide, { authority, clock });
    if (decision.kind === 'refuse') throw new AppError(decision.code);
    return decision;
  }

  return {
    async serve(session, sid, name) {
      const { content } = await open(session);
      const start = content?.playlistUrl ? URL.parse(content.playlistUrl) : null;
      if (!start) throw new AppError('NOT_FOUND', { detail: 'The content has no playlist any more.' });
      const playlist = await findPlaylist(sources, start, name).catch(toAnswer);
      const { sizeBytes, pieces } = playlist.text.write(sid);
      // A thousand sessions may have waited for the same text, and each gets a copy of its own.
      await turns.take(amountOfCopy(Math.min(sizeBytes, pieceCharacters)));
      // The source may have taken seconds, and a revocation may have come meanwhile.
      const { lease } = await open(session);
      noteUse(session.leaseId, lease, clock.now());
      return { sizeBytes, pieces: inTurns(pieces(), turns) };
    },
  };
}

/** A turn between two pieces; the first has had its own. */
async function* inTurns(pieces: Iterable<string>, turns: Pick<WorkPortions, 'take'>) {
  for (const piece of pieces) {
    yield piece;
    await turns.take(amountOfCopy(pieceCharacters));
  }
}

/** The operator's log has the fault, once for each fetch. The answer to a request reports only that there is one. */
function toAnswer(fault: unknown): never {
  if (fault instanceof AppError) throw fault;
  throw new AppError('DEPENDENCY_UNAVAILABLE', { detail: 'The playlist is not available at the moment.' });
}
