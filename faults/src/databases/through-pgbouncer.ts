import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { findProgram } from '@latchkey/rig/stores/own-stores';
import { makeServerFolder, startServerProgram } from '@latchkey/rig/stores/server-program';
import { demand } from '../client/management.ts';
import { type DatabaseScene, makePlayer } from './scene.ts';

/** Debian's user for daemons without files: PgBouncer refuses to run as root. */
const nobody = 65_534;

/** All services connect through PgBouncer in session mode. By default it refuses start parameters that it does not know. */
export async function throughPgBouncer(scene: DatabaseScene): Promise<string> {
  const { checks, management, stack } = scene;
  const program = findProgram('pgbouncer');
  if (!program) return 'not tried: pgbouncer is not installed on this machine';
  const port = await findFreePort();
  const uid = process.getuid?.() === 0 ? nobody : undefined;
  const folder = makeServerFolder(uid);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${stack.backings.postgres.port} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 100
`,
    { mode: 0o644 },
  );
  const bouncer = await startServerProgram({
    program,
    args: [file],
    port,
    folder,
    url: '',
    readyLine: /process up/,
    endSignal: 'TERM',
    uid,
    removesFolder: true,
  });
  try {
    await scene.sql("alter database postgres set default_transaction_isolation = 'repeatable read'");
    scene.leadTo(port);
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
