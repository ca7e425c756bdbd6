import { setTimeout as sleep } from 'node:timers/promises';
import { demand } from '../client/management.ts';
import { type DatabaseScene, limitMs, makePlayer, readyOf, said } from './scene.ts';

/** Serves keys on a database that answers reads and refuses writes. */
export async function readOnly(scene: DatabaseScene): Promise<string> {
  const { checks, management, stack } = scene;
  const known = await makePlayer(scene, 'read-only-film', 'read-only-known');
  const { lease } = await demand(management.createLease('read-only-cold', 'read-only-film'));
  const cold = scene.questionOf('read-only-film', 'read-only-cold', lease.id);
  await scene.setForSessions('set default_transaction_read_only = on');
  await sleep(limitMs + 2_000);
  const keys = said([...(await scene.everywhere(known)), ...(await scene.everywhere(cold))]);
  checks.check(
    'keys are served beyond the limit while the database is read-only, to known and to unknown viewers',
    keys.every((one) => one === '200'),
    keys.join(', '),
  );
  const change = await management.registerContent('read-only-other');
  checks.check(
    'a change on a read-only database is answered 503',
    change.status === 503,
    String(change.status),
  );
  const ready = await Promise.all([...stack.gateways, ...stack.servers.leases].map(readyOf));
  checks.check(
    'on a read-only database the gateway and the lease service are ready and show it as degraded',
    ready.every(({ status, database }) => status === 200 && database === 'degraded'),
    JSON.stringify(ready),
  );
  await scene.setForSessions('reset default_transaction_read_only');
  await stack.waitWhole();
  return 'keys served, changes 503, `/ready` 200 with the database `degraded`';
}
