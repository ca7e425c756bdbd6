import { setTimeout as sleep } from 'node:timers/promises';
import { demand } from '../client/management.ts';
import { findWrongRows } from '../stored-rows.ts';
import { type DatabaseScene, limitMs, makePlayer, readyOf, said } from './scene.ts';

const rounds = 20;

/** Revokes and creates leases at once, while the database by default gives each transaction one snapshot. */
export async function anotherIsolation(scene: DatabaseScene): Promise<string> {
  const { checks, management } = scene;
  await scene.setForSessions("set default_transaction_isolation = 'repeatable read'");
  await scene.stack.waitWhole();
  await demand(management.registerContent('isolation-film'));
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const viewerId = `isolation-${round}`;
    const create = () => scene.createAsViewer('isolation-film', viewerId);
    const [revoked] = await Promise.all([
      management.call('POST', '/keys/leases/revoke', { viewerId }),
      ...Array.from({ length: 4 }, create),
    ]);
    if (revoked.status !== 200) wrong.push(`a revocation was answered ${revoked.status}`);
    const late = await create();
    if (late.status !== 403) wrong.push(`a lease after the revocation: ${late.status}`);
    const { leases } = await demand(
      management.call('GET', `/api/v1/leases?viewerId=${viewerId}&state=active`),
    );
    if (leases.length > 0) wrong.push('a lease outlived the revocation');
  }
  const question = scene.questionOf('isolation-film', 'isolation-0');
  const refusedMs = await scene.until(question, 'TOKEN_REVOKED');
  checks.check(
    "with the database's isolation level at repeatable read a revocation ends every lease that was made beside it",
    wrong.length === 0,
    wrong.slice(0, 3).join('; '),
  );
  checks.check('with that isolation level every replica refuses the token', refusedMs !== null);
  await scene.setForSessions('reset default_transaction_isolation');
  return `${rounds} revocations beside creations: all held`;
}

/** Kills the database right after acknowledgements, while by default it answers a commit before it is written. */
export async function asynchronousCommits(scene: DatabaseScene): Promise<string> {
  const { checks, management, stack } = scene;
  await scene.setForSessions('set synchronous_commit = off');
  await stack.waitWhole();
  const before = management.acknowledged.length;
  // Leases that viewers made themselves have no row in the audit: an earlier trial may have left some.
  const wrongBefore = await findWrongRows(stack.databaseUrl, management.acknowledged);
  await demand(management.registerContent('commit-film'));
  await Promise.all(
    Array.from({ length: rounds }, (_, index) =>
      demand(management.createLease(`commit-${index}`, 'commit-film')),
    ),
  );
  await stack.backings.postgres.kill();
  await stack.backings.postgres.start();
  await stack.waitWhole();
  const wrong = (await findWrongRows(stack.databaseUrl, management.acknowledged)).filter(
    (fault) => !wrongBefore.includes(fault),
  );
  checks.check(
    "with the database's synchronous_commit off nothing acknowledged is lost by a kill right after it",
    wrong.length === 0,
    wrong.slice(0, 3).join('; '),
  );
  await scene.setForSessions('reset synchronous_commit');
  await stack.waitWhole();
  return `${management.acknowledged.length - before} acknowledged changes, killed after the last: nothing lost`;
}

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
