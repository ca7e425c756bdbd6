import { randomBytes } from 'node:crypto';
import { startVaultStandIn } from '@latchkey/support/custody/vault-stand-in';
import type { Cleanup } from '../cleanup.ts';
import { startServer } from '../servers.ts';
import type { KeySubject } from './key-subject.ts';
import { startLatchkey, toSubject } from './single-subjects.ts';
import { listedRequests, viewerTokens } from './viewers.ts';

/** Latchkey with the master key in its environment, and with a provider that holds it. The key that is asked for is kept by both. */
export async function startCustodiedSubjects(cleanup: Cleanup): Promise<KeySubject[]> {
  const requests = listedRequests(viewerTokens());
  const vault = await startVaultStandIn(randomBytes(32));
  cleanup.add({ stop: vault.close });
  const bare = cleanup.add(await startServer('bare Fastify', 'tests/bench/peers/bare-fastify.ts', {}));
  const start = (name: string, env: Record<string, string>) => startLatchkey(name, cleanup, undefined, env);
  return [
    toSubject(bare, requests),
    toSubject(await start('Latchkey, master key in its environment', {}), requests),
    // An empty variable counts as unset.
    toSubject(
      await start('Latchkey, master key at a provider', { MASTER_KEY_HEX: '', SALT_HEX: '', ...vault.env }),
      requests,
    ),
  ];
}
