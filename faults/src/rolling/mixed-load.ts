import { viewerToken } from '@latchkey/rig/tokens';
import type { Question } from '../client/ask.ts';
import { createManagement, demand } from '../client/management.ts';

/** Requests for a key, out of ten. The others create and renew leases in turn. */
const keysOfTen = 6;
const viewers = 50;
const leaseTtlSeconds = 3_600;

/**
 * The requests of players: they fetch keys, and create and renew leases, each with its viewer's token.
 *
 * @param origin a gateway, which creates the content and the leases beforehand
 * @returns a function that returns the next request
 */
export async function createMixedLoad(
  origin: string,
  adminKey: string,
  tokenSecret: string,
): Promise<() => Question> {
  const contentId = 'rolling-film';
  const management = createManagement(() => origin, adminKey);
  await demand(management.registerContent(contentId));
  const players = await Promise.all(
    Array.from({ length: viewers }, async (_, index) => {
      const viewerId = `player-${index}`;
      const { lease } = await demand(management.createLease(viewerId, contentId));
      const authorization = `Bearer ${viewerToken(tokenSecret, viewerId)}`;
      return { headers: { authorization, 'x-lease-id': lease.id }, leaseId: lease.id };
    }),
  );
  let turn = 0;
  return () => {
    const { headers, leaseId } = players[turn % players.length] as (typeof players)[number];
    const kind = turn++ % 10;
    if (kind < keysOfTen) return { path: `/keys/${contentId}`, headers };
    if (kind % 2 === 0) return { method: 'POST', path: '/keys/leases/renew', headers, json: { leaseId } };
    const json = { contentId, deviceId: `device-${turn}`, requestedTtlSeconds: leaseTtlSeconds };
    return { method: 'POST', path: '/keys/leases', headers, json };
  };
}
