import type { Cleanup } from '../cleanup.ts';
import type { KeySubject } from '../keys/key-subject.ts';
import { startLatchkey, toSubject } from '../keys/single-subjects.ts';
import { createLeases, keyPath, listedRequests, viewers, viewerTokens } from '../keys/viewers.ts';
import { tokenSecret } from '../servers.ts';

/** The wait of a process that keeps up, a few times. */
const limited = { OVERLOAD_DELAY_MS: '10' };

/** The single node, with key requests that cost it little and much. */
export async function startOverloadSubjects(cleanup: Cleanup): Promise<KeySubject[]> {
  const tokens = viewerTokens();
  const known = await startLatchkey('known tokens and leases', cleanup, undefined, limited);
  const fresh = await startLatchkey('each request a new token', cleanup, undefined, limited);
  return [
    toSubject(known, listedRequests(tokens, await createLeases(known, tokens))),
    toSubject(fresh, {
      kind: 'new tokens',
      path: keyPath,
      host: 'keys.example',
      secret: tokenSecret,
      viewers,
    }),
  ];
}
