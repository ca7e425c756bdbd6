import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, makeTestFolder, openInTest } from '@latchkey/support/black-box/own-process';
import {
  actAfter,
  actBefore,
  expectRestored,
  redoRevocations,
} from '@latchkey/support/black-box/restore-drill';
import { runCli } from '@latchkey/support/processes/run-cli';
import { expect, it } from 'vitest';

it('a SQLite file that is lost comes back from the copy of a running server, and the log says which revocations to make again', async () => {
  const folder = makeTestFolder();
  const file = join(folder, 'latchkey.db');
  const copy = join(folder, 'copy.db');
  const env = { SQLITE_PATH: file };
  const first = await openInTest(folder);
  const before = await actBefore(first.target);
  const said = await runCli(['backup', copy], env);
  expect(said).toContain('passed the check');
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const after = await actAfter(first.target, before);
  await expect(runCli(['restore', copy], env)).rejects.toThrow('a server runs on');

  await endProcess(first.server, 'SIGKILL');
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  const restored = await runCli(['restore', copy], env);
  expect(existsSync(copy)).toBe(true);

  const second = await openInTest(folder);
  await expectRestored(second.target, before, after);
  const since = /--since (\S+)/.exec(restored)?.[1] ?? '';
  await redoRevocations(second.target, before, { log: first.server.stdout(), since, folder });
});
