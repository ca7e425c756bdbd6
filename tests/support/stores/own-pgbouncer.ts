import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../find-free-port.ts';
import { provideTool } from '../provide-tool.ts';
import { reloadServer } from './changed-users.ts';
import { makeServerFolder, type ServerProgram, startServerProgram } from './server-program.ts';

/** Debian's user for daemons without files: PgBouncer refuses to run as root. */
const nobody = 65_534;

const userList = 'users.txt';

interface PgBouncerOptions {
  /** The port of Postgres on loopback. */
  postgresPort: number;
  /** Sessions of Postgres for each pair of database and role; 20 by default. */
  poolSize?: number;
  /** The password of each user; left out, nobody needs one, and all are the superuser of Postgres. */
  users?: Readonly<Record<string, string>>;
}

/**
 * Starts PgBouncer in transaction mode before a Postgres of the tests. By default it refuses start parameters that it does not know.
 *
 * @throws Error if it is not installed or does not start
 */
export async function startOwnPgBouncer({
  postgresPort,
  poolSize = 20,
  users,
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
* = host=127.0.0.1 port=${postgresPort}${users ? '' : ' user=postgres'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
${
  users
    ? `auth_type = scram-sha-256
auth_file = ${join(folder, userList)}`
    : 'auth_type = any'
}
pool_mode = transaction
max_client_conn = 500
default_pool_size = ${poolSize}
`,
    { mode: 0o644 },
  );
  if (users) writeUsers(folder, users);
  return startServerProgram({
    ...{ program, args: [file], port, folder, uid, removesFolder: true },
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    readyLine: /process up/,
    endSignal: 'TERM',
  });
}

function writeUsers(folder: string, users: Readonly<Record<string, string>>): void {
  const lines = Object.entries(users).map(([name, password]) => `"${name}" "${password}"\n`);
  writeFileSync(join(folder, userList), lines.join(''), { mode: 0o644 });
}

/** Replaces the passwords. Connections of clients stay. */
export async function changePgBouncerUsers(
  { folder, pid }: ServerProgram,
  users: Readonly<Record<string, string>>,
): Promise<void> {
  writeUsers(folder, users);
  // It compares whole seconds to see whether the file has changed.
  const later = new Date(Date.now() + 2_000);
  utimesSync(join(folder, userList), later, later);
  await reloadServer({ folder, pid }, /got SIGHUP, re-reading config/g);
}
