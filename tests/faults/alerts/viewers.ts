import { randomUUID } from 'node:crypto';
import { createAudience } from '../client/audience.ts';
import { type Load, startLoad } from '../client/load.ts';
import { createManagement, demand } from '../client/management.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import { directPlaybacks, directReplicas, type Stack } from '../stack/stack.ts';

/** Enough that a window of seconds has dozens of requests, little enough for several stacks on one machine. */
const keysPerSecond = 30;
const playlistsPerSecond = 10;
/** Each second that many leases are created, and as many revocations made. */
const changesPerSecond = 4;

/** Viewers who keep their rights, and an application that creates leases and revokes others. */
export interface Viewers {
  /** Makes every replica read the states of all viewers. One that was restarted has none, and would ask for them during the next fault. */
  becomeKnown(): Promise<void>;
  stop(): Promise<void>;
}

/** What a healthy installation gets all the time. Nobody is refused. */
export async function startViewers(stack: Stack): Promise<Viewers> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey, stack.playlistUrl);
  const audience = await createAudience(
    management,
    tokenSecret,
    'alert-film',
    directReplicas(stack),
    directPlaybacks(stack),
  );
  const keys = startLoad(keysPerSecond, () => ({ origin: gateway, question: audience.next() }));
  const playlists = startLoad(playlistsPerSecond, () => ({
    origin: gateway,
    question: audience.nextPlaylist(),
  }));
  let turn = 0;
  // A stored key, as applications have. The bootstrap key is looked up again every few seconds.
  const made = await demand(
    management.call('POST', '/api/v1/api-keys', { name: 'application', scope: 'full' }),
  );
  const headers = { authorization: `Bearer ${made.raw_key}` };
  const changes = startLoad(changesPerSecond * 2, () => {
    const viewerId = `passing-${randomUUID()}`;
    const [path, json] =
      turn++ % 2 === 0
        ? ['/keys/leases', { viewerId, contentId: audience.contentId }]
        : ['/keys/leases/revoke', { viewerId }];
    return { origin: gateway, question: { method: 'POST', path, headers, json } };
  });
  return {
    becomeKnown: audience.becomeKnown,
    stop: async () => void (await Promise.all([keys, playlists, changes].map((load: Load) => load.stop()))),
  };
}
