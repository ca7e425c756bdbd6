import { readFileSync, rmSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually } from '@latchkey/support/black-box/eventually';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { runBlock } from '@latchkey/support/documents/run-block';
import { findFreePort } from '@latchkey/support/find-free-port';
import { findProgram, postgresData, postgresUid, runPostgres } from '@latchkey/support/stores/own-stores';
import { runSql } from '@latchkey/support/stores/run-sql';
import { makeServerFolder, type ServerProgram } from '@latchkey/support/stores/server-program';
import { expect, onTestFinished } from 'vitest';

const blocks = readBlocks(readDocument('docs/operate/backup.md'), 'Postgres');

/** A Postgres that archives its log as docs/operate/backup.md says, and is restored by the commands of that document. */
export interface ArchivedPostgres {
  url: string;
  makeBaseBackup(): Promise<void>;
  /** The present instant of the server, to the microsecond, as a restore is told. */
  readInstant(): Promise<string>;
  /** Waits until all that was committed is in the archive, without waiting for `archive_timeout`. */
  archiveAll(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it, and removes all of its files but the archive and the backups. */
  lose(): Promise<void>;
  /**
   * Unpacks the base backup.
   *
   * @param target the moment; null for all that was archived
   */
  unpack(target: string | null): Promise<void>;
  /** Sets one more variable of the unpacked folder. */
  append(setting: string): Promise<void>;
  start(): Promise<void>;
  /** Waits until the log is replayed up to the moment, and the server takes no writes yet. */
  waitPaused(): Promise<void>;
  resume(): Promise<void>;
  /** The log of the restored server since its last start. */
  readLog(): string;
  /** Waits until it takes writes. */
  waitWritable(): Promise<void>;
}

/** The commands of the document, for the folders and the port of one test, and a shell that runs them as the user of Postgres. */
function adaptDocument(folder: string, restoredData: string, port: number) {
  const archive = join(folder, 'archive');
  const bin = dirname(findProgram('pg_basebackup') ?? '');
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'postgres',
  };
  const adapt = (text: string) =>
    text
      .replaceAll('/archive/', `${archive}/`)
      .replaceAll(/\/backups\/(\$\(date \+%F\)|\d{4}-\d\d-\d\d)/g, join(folder, 'backups/1'))
      .replaceAll('/var/lib/postgresql/restored', restoredData);
  return {
    archive,
    settings: readSettings(adapt(findBlock(blocks, 'ini', 'archive_command'))),
    command: (words: string) => adapt(findBlock(blocks, 'sh', words)),
    shell: (text: string) => runBlock(text, { cwd: folder, env, uid: postgresUid() }),
  };
}

/** Starts one that is stopped and removed after the test. The server and the commands run as the user of Postgres. */
export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  const uid = postgresUid();
  const [folder, restored] = [makeServerFolder(uid), makeServerFolder(uid)];
  const restoredData = join(restored, postgresData);
  const port = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const { archive, settings, command, shell } = adaptDocument(folder, restoredData, port);
  await shell(
    `mkdir archive backups && initdb -D ${postgresData} -U postgres -A trust -E UTF8 --locale=C --no-sync`,
  );
  // Whole pages, because a base backup may read a page while it is written.
  const options = { uid, removesFolder: false, settings };
  let server: ServerProgram | null = await runPostgres({ port, folder }, options);
  const stop = async () => {
    await server?.stop();
    server = null;
  };
  onTestFinished(async () => {
    await stop();
    for (const each of [folder, restored]) rmSync(each, { recursive: true, force: true });
  });

  return {
    url,
    makeBaseBackup: async () => void (await shell(command('pg_basebackup'))),
    async readInstant() {
      const [row] = await runSql(url, 'select clock_timestamp()::text as now');
      return String(row?.now);
    },
    async archiveAll() {
      const [row] = await runSql(url, 'select pg_walfile_name(pg_switch_wal()) as name');
      await eventually(() => access(join(archive, String(row?.name))));
    },
    stop,
    async lose() {
      await stop();
      rmSync(join(folder, postgresData), { recursive: true });
    },
    async unpack(target) {
      rmSync(restoredData, { recursive: true, force: true });
      const text = command('recovery.signal');
      const moment = /^recovery_target_time = .*\n/m;
      expect(text).toMatch(moment);
      await shell(text.replace(moment, target === null ? '' : `recovery_target_time = '${target}'\n`));
    },
    append: async (setting) =>
      void (await shell(`echo "${setting}" >> ${join(restoredData, 'postgresql.auto.conf')}`)),
    async start() {
      server = await runPostgres({ port, folder: restored }, options);
    },
    waitPaused: () =>
      eventually(async () => expect(await shell(command('pause_state'))).toMatch(/^ paused /m)),
    resume: async () => void (await shell(command('wal_replay_resume'))),
    readLog: () => readFileSync(join(restored, 'server.log'), 'utf8'),
    waitWritable: () =>
      eventually(async () => {
        const [row] = await runSql(url, 'select pg_is_in_recovery() as recovering');
        expect(row).toEqual({ recovering: false });
      }),
  };
}

/** Lines of `name = value` of postgresql.conf. */
function readSettings(text: string): Record<string, string> {
  const lines = [...text.matchAll(/^(\w+) = (?:'(.*)'|(.*))$/gm)];
  return Object.fromEntries(lines.map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain]));
}
