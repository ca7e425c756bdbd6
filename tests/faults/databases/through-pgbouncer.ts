import { startOwnPgBouncer } from '@latchkey/support/stores/own-pgbouncer';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { demand } from '../client/management.ts';
import { type DatabaseScene, makePlayer } from './scene.ts';

/** All services connect through PgBouncer in session mode. By default it refuses start parameters that it does not know. */
export async function throughPgBouncer(scene: DatabaseScene): Promise<string> {
  const { checks, management, stack } = scene;
  if (!findProgram('pgbouncer')) return 'not tried: pgbouncer is not installed on this machine';
  const postgresPort = stack.backings.postgres.port;
  const bouncer = await startOwnPgBouncer({ postgresPort, mode: 'session', poolSize: 100 });
  try {
    await scene.sql("alter database postgres set default_transaction_isolation = 'repeatable read'");
    scene.leadTo(bouncer.port);
    await stack.waitWhole();
    const player = await makePlayer(scene, 'bouncer-film', 'bouncer-player');
    const sessions = await scene.sql(
      "select count(*)::int as n from pg_stat_activity where application_name = 'latchkey'",
    );
    checks.check('services work through PgBouncer in session mode', Number(sessions[0]?.n) > 0);
    await demand(management.call('POST', '/keys/leases/revoke', { viewerId: 'bouncer-player' }));
    const refusedMs = await scene.until(player, 'LEASE_REVOKED');
    checks.check('a revocation through PgBouncer holds on every replica', refusedMs !== null);
    return `a revocation held on every replica after ${Math.round(refusedMs ?? 0)} ms`;
  } finally {
    scene.leadTo(stack.backings.postgres.port);
    await scene.setForSessions('reset default_transaction_isolation');
    await stack.waitWhole();
    await bouncer.stop();
  }
}
