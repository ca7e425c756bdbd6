import type { ProfileSecrets } from '@latchkey/support/stack/start-stack';
import { viewerToken } from '@latchkey/support/tokens';
import { createManagement, demand } from '../client/management.ts';
import { questionsOfSession } from '../client/revocation-subject.ts';
import type { Question } from '../client/send-request.ts';

/**
 * Requests out of ten: the first are for a key, by token and lease and then by the URL of a session. A playlist and a list of the
 * management follow. The others create leases and renew them.
 */
const keysOfTen = { byLease: 4, bySession: 1, playlists: 1, managed: 1 };
const viewers = 50;
/** Ten of the viewers get four new leases a second each. They may have 1,000 at a time. */
const leaseTtlSeconds = 60;

/** The credentials of players and of the management come from these. */
type LoadSecrets = Pick<ProfileSecrets, 'AUTH_JWT_SECRET' | 'ADMIN_API_KEY'>;

/** The requests of players, who fetch keys and playlists and have leases, and of the management. */
interface MixedLoad {
  next(): Question;
  /** Later requests carry credentials by these secrets. */
  use(secrets: LoadSecrets): void;
}

/**
 * @param origin a gateway, which creates the content and the leases beforehand
 * @param playlistUrl of the content
 */
export async function createMixedLoad(
  origin: string,
  secrets: LoadSecrets,
  playlistUrl: string,
): Promise<MixedLoad> {
  const contentId = 'rolling-film';
  const management = createManagement(() => origin, secrets.ADMIN_API_KEY, playlistUrl);
  await demand(management.registerContent(contentId));
  const players = await Promise.all(
    Array.from({ length: viewers }, async (_, index) => {
      const viewerId = `player-${index}`;
      const { lease } = await demand(management.createLease(viewerId, contentId));
      const session = await demand(management.createSession(viewerId, contentId));
      return { viewerId, leaseId: lease.id, session: questionsOfSession(contentId, session.url) };
    }),
  );
  const { byLease, bySession, playlists, managed } = keysOfTen;
  let present = secrets;
  let turn = 0;
  return {
    use(next) {
      present = next;
    },
    next() {
      const { viewerId, leaseId, session } = players[turn % players.length] as (typeof players)[number];
      const kind = turn++ % 10;
      const authorization = `Bearer ${viewerToken(present.AUTH_JWT_SECRET, viewerId)}`;
      const headers = { authorization, 'x-lease-id': leaseId };
      if (kind < byLease) return { path: `/keys/${contentId}`, headers };
      if (kind < byLease + bySession) return session.key;
      if (kind < byLease + bySession + playlists) return session.playlist;
      if (kind < byLease + bySession + playlists + managed)
        return {
          path: '/api/v1/leases?limit=1',
          headers: { authorization: `Bearer ${present.ADMIN_API_KEY}` },
        };
      if (kind % 2 === 0) return { method: 'POST', path: '/keys/leases/renew', headers, json: { leaseId } };
      const json = { contentId, deviceId: `device-${turn}`, requestedTtlSeconds: leaseTtlSeconds };
      return { method: 'POST', path: '/keys/leases', headers, json };
    },
  };
}
