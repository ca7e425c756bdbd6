import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { findProgram } from '@latchkey/rig/stores/own-stores';
import { type ServerProgram, startServerProgram } from '@latchkey/rig/stores/server-program';

/** A second Postgres, made from the files of the first. */
export interface ClonedPostgres {
  port: number;
  url: string;
  start(): Promise<void>;
  /** In order: a standby has then written down what it received. */
  shutDown(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Copies a running server with `pg_basebackup`.
 *
 * @param port of the server
 * @param follows whether the copy is a standby that replays what the server writes; else it is a backup as of now
 */
export async function clonePostgres(port: number, follows: boolean): Promise<ClonedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-faults-clone-'));
  const uid = process.getuid?.() === 0 ? await unprivilegedUid() : undefined;
  if (uid !== undefined) chownSync(folder, uid, uid);
  const user = uid === undefined ? {} : { uid, gid: uid };
  const data = join(folder, 'data');
  const options = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-D', data, '-X', 'stream'];
  await promisify(execFile)(
    programOf('pg_basebackup'),
    [...options, '-c', 'fast', '--no-sync', ...(follows ? ['-R'] : [])],
    { ...user, cwd: folder },
  );
  const ownPort = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${ownPort}/postgres`;
  const settings = {
    port: ownPort,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    fsync: 'off',
  };
  let server: ServerProgram | null = null;
  return {
    port: ownPort,
    url,
    async start() {
      server = await startServerProgram({
        program: programOf('postgres'),
        args: [
          '-D',
          data,
          ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        port: ownPort,
        folder,
        url,
        readyLine: /ready to accept (read-only )?connections/,
        endSignal: 'QUIT',
        uid,
        removesFolder: false,
      });
    },
    async shutDown() {
      const running = server;
      if (!running) return;
      const options = ['stop', '-D', data, '-m', 'fast', '-w'];
      await promisify(execFile)(programOf('pg_ctl'), options, { ...user, cwd: folder });
      await running.stop();
      server = null;
    },
    async remove() {
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error where it is not installed */
function programOf(name: string): string {
  const path = findProgram(name);
  if (!path) throw new Error(`there is no ${name} on this machine`);
  return path;
}

/** Postgres refuses to run as root; what `startOwnPostgres` starts belongs to the same user. */
async function unprivilegedUid(): Promise<number> {
  const { stdout } = await promisify(execFile)('id', ['-u', 'postgres']);
  return Number(stdout);
}
