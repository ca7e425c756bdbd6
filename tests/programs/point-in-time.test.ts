import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDrilledServices } from '@latchkey/support/black-box/drilled-services';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import {
  actAfter,
  actBefore,
  expectRestored,
  redoRevocations,
} from '@latchkey/support/black-box/restore-drill';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { runSql } from '@latchkey/support/stores/run-sql';
import { expect, it, vi } from 'vitest';
import { startArchivedPostgres } from './archived-postgres.ts';

it('a Postgres that is lost comes back as it was at a moment between two acts, and neither replicas nor Redis believe what they know of later ones', async () => {
  const postgres = await startArchivedPostgres();
  const { migrate, target, owners, log } = await startDrilledServices(postgres.url, 'latchkey_drill');
  const folder = makeTestFolder();
  await createApiKey(target, 'playback');
  await postgres.makeBaseBackup();
  // Only the archived log holds what follows.
  const tooEarly = await postgres.readInstant();
  const before = await actBefore(target);
  const moment = await postgres.readInstant();
  const after = await actAfter(target, before);
  await postgres.archiveAll();

  // Key-derivation and Redis go on with what they know. They need not be stopped, and must not be believed.
  await Promise.all(owners.map((process) => process.end('SIGKILL')));
  await postgres.lose();
  await postgres.unpack(tooEarly);
  await postgres.start();
  await postgres.waitPaused();
  const countKeys = async () => (await runSql(postgres.url, 'select count(*)::int as n from api_keys'))[0]?.n;
  expect(await countKeys()).toBe(1);
  await postgres.stop();
  await postgres.append(`recovery_target_time = '${moment}'`);
  await postgres.start();
  await postgres.waitPaused();
  expect(await countKeys()).toBe(1 + Object.keys(before.apiKeys).length);
  await postgres.resume();
  await postgres.waitWritable();
  await migrate();
  for (const process of owners) process.start();
  await Promise.all(owners.map((process) => process.waitReady()));

  await expectRestored(target, before, after);
  const since = new Date(moment).toISOString();
  await redoRevocations(target, before, { log: log(), since, folder });
}, 300_000);

it('a restore without a moment has all that was archived, and a second one reaches a moment of the timeline that the first one left', async () => {
  const postgres = await startArchivedPostgres();
  await runSql(postgres.url, 'create table acts (name text)');
  await postgres.makeBaseBackup();
  const act = (name: string) => runSql(postgres.url, `insert into acts values ('${name}')`);
  const list = async () =>
    (await runSql(postgres.url, 'select name from acts order by 1')).map(({ name }) => name);
  await act('a');
  const afterA = await postgres.readInstant();
  await act('b');
  const afterB = await postgres.readInstant();
  await act('c');
  await postgres.archiveAll();
  await postgres.lose();

  await postgres.unpack(afterA);
  await postgres.start();
  await postgres.waitPaused();
  await postgres.resume();
  await postgres.waitWritable();
  await act('x');
  await postgres.archiveAll();
  expect(await list()).toEqual(['a', 'x']);
  await postgres.stop();

  await postgres.unpack(afterB);
  await postgres.append("recovery_target_timeline = 'current'");
  await postgres.start();
  await postgres.waitPaused();
  expect(await list()).toEqual(['a', 'b']);
  await postgres.stop();

  await postgres.unpack(null);
  await postgres.start();
  await postgres.waitWritable();
  // The newest timeline is the timeline of the first restore.
  expect(await list()).toEqual(['a', 'x']);
  await postgres.stop();

  await postgres.unpack('2999-01-01 00:00:00+00');
  // It may be gone before it takes connections.
  await postgres.start().catch(() => {});
  await vi.waitFor(
    () =>
      expect(postgres.readLog()).toContain('recovery ended before configured recovery target was reached'),
    { timeout: 60_000, interval: 50 },
  );
}, 300_000);

it('the documented archive_command archives a file again, completes an interrupted copy, and never replaces another file', async () => {
  const folder = makeTestFolder();
  const settings = findBlock(
    readBlocks(readDocument('docs/operate/backup.md'), 'Postgres'),
    'ini',
    'archive_command',
  );
  const [, command = ''] = /^archive_command = '(.*)'$/m.exec(settings) ?? [];
  writeFileSync(join(folder, 'wal'), 'the whole file');
  const archived = join(folder, 'segment');
  const archive = () =>
    promisify(execFile)('sh', ['-c', command.replaceAll('%p', 'wal').replaceAll('/archive/%f', archived)], {
      cwd: folder,
    });
  writeFileSync(`${archived}.part`, 'the wh');
  await archive();
  await archive();
  expect(readFileSync(archived, 'utf8')).toBe('the whole file');
  writeFileSync(join(folder, 'wal'), 'another file!!');
  await expect(archive()).rejects.toThrow();
  expect(readFileSync(archived, 'utf8')).toBe('the whole file');
});
