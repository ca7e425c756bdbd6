import { viewerToken } from '@latchkey/support/tokens';
import { createManagement, demand } from '../client/management.ts';
import { questionsOfSession } from '../client/revocation-subject.ts';
import type { Question } from '../client/send-request.ts';

/**
 * Requests for a key, out of ten: the first by token and lease, then by the URL of a session. A playlist follows. The others create and
 * renew leases in turn.
 */
const keysOfTen = { byLease: 4, bySession: 1, playlists: 1 };
const viewers = 50;
const leaseTtlSeconds = 3_600;

/**
 * The requests of players: they fetch keys and playlists, and create and renew leases, each with its viewer's token or session.
 *
 * @param origin a gateway, which creates the content and the leases beforehand
 * @param playlistUrl of the content
 * @returns a function that returns the next request
 */
export async function createMixedLoad(
  origin: string,
  adminKey: string,
  tokenSecret: string,
  playlistUrl: string,
): Promise<() => Question> {
  const contentId = 'rolling-film';
  const management = createManagement(() => origin, adminKey, playlistUrl);
  await demand(management.registerContent(contentId));
  const players = await Promise.all(
    Array.from({ length: viewers }, async (_, index) => {
      const viewerId = `player-${index}`;
      const { lease } = await demand(management.createLease(viewerId, contentId));
      const session = await demand(management.createSession(viewerId, contentId));
      const authorization = `Bearer ${viewerToken(tokenSecret, viewerId)}`;
      const headers = { authorization, 'x-lease-id': lease.id };
      return { headers, leaseId: lease.id, session: questionsOfSession(contentId, session.url) };
    }),
  );
  const { byLease, bySession, playlists } = keysOfTen;
  let turn = 0;
  return () => {
    const { headers, leaseId, session } = players[turn % players.length] as (typeof players)[number];
    const kind = turn++ % 10;
    if (kind < byLease) return { path: `/keys/${contentId}`, headers };
    if (kind < byLease + bySession) return session.key;
    if (kind < byLease + bySession + playlists) return session.playlist;
    if (kind % 2 === 0) return { method: 'POST', path: '/keys/leases/renew', headers, json: { leaseId } };
    const json = { contentId, deviceId: `device-${turn}`, requestedTtlSeconds: leaseTtlSeconds };
    return { method: 'POST', path: '/keys/leases', headers, json };
  };
}
