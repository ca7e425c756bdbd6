import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../find-free-port.ts';
import { provideTool } from '../provide-tool.ts';
import { makeServerFolder, type ServerProgram, startServerProgram } from './server-program.ts';

/** Debian's user for daemons without files: PgBouncer refuses to run as root. */
const nobody = 65_534;

interface PgBouncerOptions {
  /** The port of Postgres on loopback. */
  postgresPort: number;
  /** Sessions of Postgres for each pair of database and role; 20 by default. */
  poolSize?: number;
}

/**
 * Starts PgBouncer in transaction mode before a Postgres of the tests. Nobody needs a password. By default it refuses start parameters that it does not know.
 *
 * @throws Error if it is not installed or does not start
 */
export async function startOwnPgBouncer({
  postgresPort,
  poolSize = 20,
}: PgBouncerOptions): Promise<ServerProgram> {
  const program = provideTool('pgbouncer');
  if (!program) throw new Error('there is no PgBouncer');
  const port = await findFreePort();
  const uid = process.getuid?.() === 0 ? nobody : undefined;
  const folder = makeServerFolder(uid);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${postgresPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = ${poolSize}
`,
    { mode: 0o644 },
  );
  return startServerProgram({
    ...{ program, args: [file], port, folder, uid, removesFolder: true },
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    readyLine: /process up/,
    endSignal: 'TERM',
  });
}
