import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@latchkey/support/find-free-port';
import { findProgram, postgresData, postgresUid, runPostgres } from '@latchkey/support/stores/own-stores';
import { makeServerFolder, type ServerProgram } from '@latchkey/support/stores/server-program';

/** A second Postgres, made from the files of the first. */
export interface ClonedPostgres {
  port: number;
  url: string;
  start(): Promise<void>;
  /** Ends in order: a standby has then written everything that it received. */
  shutDown(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Copies a running server with `pg_basebackup`.
 *
 * @param port of the server
 * @param follows true: the copy is a standby that replays what the server writes; false: it is a backup of this moment
 */
export async function clonePostgres(port: number, follows: boolean): Promise<ClonedPostgres> {
  const uid = postgresUid();
  const folder = makeServerFolder(uid);
  const user = uid === undefined ? {} : { uid, gid: uid };
  const data = join(folder, postgresData);
  const options = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-D', data, '-X', 'stream'];
  await promisify(execFile)(
    programOf('pg_basebackup'),
    [...options, '-c', 'fast', '--no-sync', ...(follows ? ['-R'] : [])],
    { ...user, cwd: folder },
  );
  const ownPort = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${ownPort}/postgres`;
  let server: ServerProgram | null = null;
  return {
    port: ownPort,
    url,
    async start() {
      server = await runPostgres({ port: ownPort, folder }, { uid, removesFolder: false });
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

/** @throws Error if it is not installed */
function programOf(name: string): string {
  const path = findProgram(name);
  if (!path) throw new Error(`${name} is not installed on this machine`);
  return path;
}
