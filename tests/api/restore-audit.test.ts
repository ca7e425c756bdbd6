import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@latchkey/support/black-box/eventually';
import { readLines, registered } from '@latchkey/support/black-box/forwarded-audit';
import { endProcess, makeTestFolder, openInTest } from '@latchkey/support/black-box/own-process';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { runCli } from '@latchkey/support/processes/run-cli';
import { expect, it } from 'vitest';

it('after a restore, the lines that were forwarded before name the acts that are gone', async () => {
  const folder = makeTestFolder();
  const [copy, forwarded, kept] = ['copy.db', 'audit.jsonl', 'audit.lost.jsonl'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const database = { SQLITE_PATH: join(folder, 'latchkey.db') };
  const start = () => openInTest(folder, { AUDIT_FORWARD: `file:${forwarded}` });
  const read = () => (existsSync(forwarded) ? readLines(readFileSync(forwarded, 'utf8')) : []);
  /** @returns its line, once it is forwarded */
  const act = async ({ target }: Awaited<ReturnType<typeof start>>) => {
    const id = await registerContent(target);
    return eventually(async () => {
      expect(registered(read())).toContain(id);
      return read().find((line) => line.target === id);
    });
  };

  const first = await start();
  const before = await act(first);
  await runCli(['backup', copy], database);
  const lost = await act(first);
  await endProcess(first.server, 'SIGKILL');
  await runCli(['restore', copy], database);
  renameSync(forwarded, kept);
  const second = await start();
  const after = await act(second);

  // The new act has taken the place of the one that is gone.
  expect([after?.id, after?.number]).toEqual([lost?.id, lost?.number]);
  expect(registered(read())).not.toContain(lost?.target);
  expect(registered(readLines(readFileSync(kept, 'utf8')))).toEqual([before?.target, lost?.target]);
});
